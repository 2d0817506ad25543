import { type Span, spanKindOf, spanStatusOf } from '../../../domain/span.ts'
import { type ChunkCells, joinedTexts } from '../engine/chunk-cells.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { ParsedAttributes } from './parsed-attributes.ts'
import { eventsOf, hexOfNumber, linksOf } from './span-rows-read.ts'

const OWN = `span_id, parent_id, start_ns, duration_ns, kind, status, flags, dropped, status_message, trace_state, attributes,
  events, links`
const TEXTS = ['operation', 'status_message', 'trace_state', 'attributes', 'events', 'links']
const NO_PARENT = '0'.repeat(16)
const NO_ATTRIBUTES = {}

/** Spans of a unit that meet a condition, sealed and open, for `wholeSpans`. */
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

type Origin = Pick<Span, 'serviceName' | 'resource' | 'scopeName' | 'scopeVersion'>

/** What spans have in common is read and parsed once: there may be thousands, and of few origins. */
export async function wholeSpans(scope: Scope, selects: string[], order: string): Promise<Span[]> {
  if (selects.length === 0) return []
  const spans: Span[] = []
  const origins: string[] = []
  const attributes = new ParsedAttributes()
  await scope.session.cells(
    `SELECT trace_id, span_id, parent_id, start_ns, duration_ns, kind, status, flags, dropped, origin, ${joinedTexts(TEXTS)}
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
  const [traceId, spanId, parentId] = [cells.uuids(0), cells.ids(1), cells.ids(2)]
  const [startNs, durationNs] = [cells.bigints(3), cells.bigints(4)]
  const [kind, status] = [cells.bytes(5), cells.bytes(6)]
  const [flags, dropped] = [cells.words(7), cells.words(8)]
  const texts = cells.texts(10, TEXTS.length)
  for (let row = 0; row < cells.rows; row++) {
    const [operationName = '', statusMessage = '', traceState = '', own = '', events = '', links = ''] = texts(row)
    const parentSpanId = parentId(row)
    spans.push({
      traceId: traceId(row),
      spanId: spanId(row),
      parentSpanId: parentSpanId === NO_PARENT ? '' : parentSpanId,
      operationName,
      kind: spanKindOf(kind[row] as number),
      status: spanStatusOf(status[row] as number),
      startNs: startNs[row] as bigint,
      durationNs: durationNs[row] as bigint,
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

/** By the digits of `origin`. The same one may be in several files. */
async function originsOf(scope: Scope, origins: string[], attributes: ParsedAttributes): Promise<Map<string, Origin>> {
  const columns = 'origin, service, resource, scope_name, scope_version'
  const where = `WHERE origin IN (${origins.map((digits) => BigInt(`0x${digits}`)).join(', ')})`
  const parts = scope.units.flatMap(({ file, open }) => [
    ...(file
      ? [
          `SELECT origin, name AS service, resource, scope_name, scope_version FROM ${file.alias}.origins
           JOIN ${file.alias}.names ON name_no = service_no ${where}`,
        ]
      : []),
    ...open.map(({ alias }) => `SELECT ${columns} FROM ${alias}.origins ${where}`),
  ])
  const rows = await scope.session.rows(`SELECT DISTINCT ON (origin) ${columns} FROM (${parts.join(' UNION ALL ')})`)
  return new Map(
    rows.map((row) => [
      hexOfNumber(row['origin']),
      {
        serviceName: row['service'] as string,
        resource: attributes.of(row['resource'] as string),
        scopeName: row['scope_name'] as string,
        scopeVersion: row['scope_version'] as string,
      },
    ]),
  )
}
