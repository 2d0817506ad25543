import type { Span, SpanPlace } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { chosenSpans } from './chosen-spans.ts'

/** From the first of these to the last. */
export function windowAround(places: SpanPlace[]): TimeWindow {
  const first = places.reduce((least, { startNs }) => (startNs < least ? startNs : least), places[0]?.startNs ?? 0n)
  const last = places.reduce((most, { startNs }) => (startNs > most ? startNs : most), first)
  return { startNs: first, endNs: last + 1n }
}

export async function wholeSpans(scope: Scope, places: SpanPlace[]): Promise<Span[]> {
  const parts = scope.units.flatMap(selectAsked)
  if (parts.length === 0 || places.length === 0) return []
  const column = (place: number, type: string) =>
    `unnest(json_extract_string($places::JSON, '$[*][${place}]'))::${type}`
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE asked_places AS
     SELECT DISTINCT ${column(0, 'UUID')} AS trace_id, ${column(1, 'UBIGINT')} AS span_id, ${column(2, 'BIGINT')} AS start_ns`,
    {
      places: JSON.stringify(
        places.map(({ traceId, spanId, startNs }) => [traceId, String(BigInt(`0x${spanId}`)), String(startNs)]),
      ),
    },
  )
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE chosen AS ${parts.join(' UNION ALL ')}`, scope.grid)
  return await chosenSpans(scope)
}

/** Found by time and id, which are small; ids of spans may be the same in several traces. */
function selectAsked(unit: HourUnit): string[] {
  const { hour, file } = unit
  const parts: string[] = []
  if (file)
    parts.push(`SELECT ${hour} AS hour, s.row, NULL::UUID AS trace_id, s.span_id
      FROM (SELECT rowid AS row, start_ns, span_id, trace_no FROM ${file.alias}.spans
        WHERE (start_ns, span_id) IN (SELECT start_ns, span_id FROM asked_places)) s
      JOIN ${file.alias}.traces t ON t.trace_no = s.trace_no
      WHERE (t.trace_id, s.span_id, s.start_ns) IN (SELECT trace_id, span_id, start_ns FROM asked_places)`)
  const rows = openRows(unit, 'spans', 'trace_id, span_id, start_ns')
  if (rows)
    parts.push(`SELECT ${hour} AS hour, -1::BIGINT AS row, trace_id, span_id FROM ${rows}
      WHERE (trace_id, span_id, start_ns) IN (SELECT trace_id, span_id, start_ns FROM asked_places)`)
  return parts
}
