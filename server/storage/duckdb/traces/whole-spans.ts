import type { Span } from '../../../domain/span.ts'
import { type ChunkCells, joinedTexts } from '../engine/chunk-cells.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { ParsedAttributes } from './parsed-attributes.ts'
import { type Origin, originsOf } from './span-origins.ts'
import { eventsOf, linksOf } from './span-rows-read.ts'
import { SUMMARY, summaryCells } from './summary-cells.ts'

const OWN = `${SUMMARY}, flags, dropped, status_message, trace_state, attributes, events, links`
const TEXTS = ['operation', 'status_message', 'trace_state', 'attributes', 'events', 'links']
const NO_ATTRIBUTES = {}

/** Spans of a unit that meet a condition, sealed and open, for `readWhole`. */
export function selectWhole(unit: HourUnit, sealedWhere: string, openWhere: string): string[] {
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    // Found first, joined after: the joins then look up a handful of numbers.
    parts.push(`SELECT t.trace_id, ${OWN}, g.origin, o.name AS operation FROM (
        SELECT ${OWN}, trace_no, origin_no, operation_no FROM ${alias}.spans WHERE ${sealedWhere}) s
      JOIN ${alias}.traces t ON t.trace_no = s.trace_no
      JOIN ${alias}.origins g ON g.origin_no = s.origin_no
      JOIN ${alias}.names o ON o.name_no = s.operation_no`)
  }
  const rows = openRows(unit, 'spans')
  if (rows) parts.push(`SELECT trace_id, ${OWN}, origin, operation FROM ${rows} WHERE ${openWhere}`)
  return parts
}

/** What spans have in common is read and parsed once: there may be thousands, and of few origins. */
export async function readWhole(scope: Scope, selects: string[], order: string): Promise<Span[]> {
  if (selects.length === 0) return []
  const spans: Span[] = []
  const origins: string[] = []
  const attributes = new ParsedAttributes()
  await scope.session.cells(
    `SELECT trace_id, ${SUMMARY}, flags, dropped, origin, ${joinedTexts(TEXTS)}
     FROM (${selects.join(' UNION ALL ')}) ORDER BY ${order}`,
    (cells) => {
      const origin = cells.ids(9)
      for (let row = 0; row < cells.rows; row++) origins.push(origin(row))
      addSpans(cells, attributes, spans)
    },
    scope.grid,
  )
  if (spans.length === 0) return []
  const known = await originsOf(scope, [...new Set(origins)], attributes)
  for (const [i, span] of spans.entries()) {
    const origin = known.get(origins[i] as string) as Origin
    span.serviceName = origin.serviceName
    span.resource = origin.resource
    span.scopeName = origin.scopeName
    span.scopeVersion = origin.scopeVersion
  }
  return spans
}

/** Their origins are told later. */
function addSpans(cells: ChunkCells, attributes: ParsedAttributes, spans: Span[]): void {
  const summary = summaryCells(cells)
  const [flags, dropped] = [cells.words(7), cells.words(8)]
  const texts = cells.texts(10, TEXTS.length)
  for (let row = 0; row < cells.rows; row++) {
    const [operationName = '', statusMessage = '', traceState = '', own = '', events = '', links = ''] = texts(row)
    spans.push({
      traceId: summary.traceId(row),
      spanId: summary.spanId(row),
      parentSpanId: summary.parentSpanId(row),
      operationName,
      kind: summary.kind(row),
      status: summary.status(row),
      startNs: summary.startNs(row),
      durationNs: summary.durationNs(row),
      statusMessage,
      traceState,
      flags: flags[row] as number,
      droppedAttributes: dropped[row] as number,
      attributes: attributes.of(own),
      events: eventsOf(events),
      links: linksOf(links),
      serviceName: '',
      resource: NO_ATTRIBUTES,
      scopeName: '',
      scopeVersion: '',
    })
  }
}
