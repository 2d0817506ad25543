import type { TraceSpan } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import { joinedTexts } from '../engine/chunk-cells.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { ParsedAttributes } from './parsed-attributes.ts'
import { type Origin, originsOf } from './span-origins.ts'
import { SUMMARY, summaryCells } from './summary-cells.ts'

const TEXTS = ['operation', 'called', 'dependency']
const NO_ATTRIBUTES = {}

/** The window is that in which the spans themselves began. */
export async function spansOfTraces(
  scope: Scope,
  traceIds: string[],
  window: TimeWindow,
  limit: number,
): Promise<TraceSpan[]> {
  const parts = scope.units.flatMap((unit) => selectAsked(unit, window))
  if (parts.length === 0 || traceIds.length === 0) return []
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE asked_ids AS
     SELECT DISTINCT unnest(json_extract_string($ids::JSON, '$[*]'))::UUID AS trace_id`,
    { ids: JSON.stringify(traceIds) },
  )
  const spans: TraceSpan[] = []
  const origins: string[] = []
  await scope.session.cells(
    `SELECT trace_id, ${SUMMARY}, origin, ${joinedTexts(TEXTS)}
     FROM (${parts.join(' UNION ALL ')})
     ORDER BY trace_id, start_ns, span_id LIMIT ${limit}`,
    (cells) => {
      const summary = summaryCells(cells)
      const [origin, texts] = [cells.ids(7), cells.texts(8, TEXTS.length)]
      for (let row = 0; row < cells.rows; row++) {
        const [operationName = '', named = '', dependency = ''] = texts(row)
        origins.push(origin(row))
        spans.push({
          traceId: summary.traceId(row),
          spanId: summary.spanId(row),
          parentSpanId: summary.parentSpanId(row),
          operationName,
          kind: summary.kind(row),
          status: summary.status(row),
          startNs: summary.startNs(row),
          durationNs: summary.durationNs(row),
          called: { named, dependency },
          serviceName: '',
          resource: NO_ATTRIBUTES,
        })
      }
    },
    scope.grid,
  )
  if (spans.length === 0) return []
  const known = await originsOf(scope, [...new Set(origins)], new ParsedAttributes())
  for (const [i, span] of spans.entries()) {
    const { serviceName, resource } = known.get(origins[i] as string) as Origin
    span.serviceName = serviceName
    span.resource = resource
  }
  return spans
}

function selectAsked(unit: HourUnit, window: TimeWindow): string[] {
  const inTime = inRanges('start_ns', [window])
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    // Found first, joined after: the joins then look up a handful of numbers.
    parts.push(`SELECT t.trace_id, ${SUMMARY}, g.origin, o.name AS operation, coalesce(c.name, '') AS called,
        coalesce(d.name, '') AS dependency
      FROM (SELECT ${SUMMARY}, trace_no, origin_no, operation_no, called_no, dependency_no FROM ${alias}.spans
        WHERE ${inTime} AND trace_no IN (
          SELECT trace_no FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM asked_ids))) s
      JOIN ${alias}.traces t ON t.trace_no = s.trace_no
      JOIN ${alias}.origins g ON g.origin_no = s.origin_no
      JOIN ${alias}.names o ON o.name_no = s.operation_no
      LEFT JOIN ${alias}.names c ON c.name_no = s.called_no
      LEFT JOIN ${alias}.names d ON d.name_no = s.dependency_no`)
  }
  const rows = openRows(unit, 'spans', `trace_id, ${SUMMARY}, origin, operation, called, dependency`)
  if (rows) parts.push(`SELECT * FROM ${rows} WHERE ${inTime} AND trace_id IN (SELECT trace_id FROM asked_ids)`)
  return parts
}
