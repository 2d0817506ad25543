import { UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putByte, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import type { LiveHour } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { isKeptDrawn } from './drawn-lot.ts'
import type { PlaceNumbers } from './place-numbers.ts'
import { sealFailures } from './seal-failures.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import { nameOrNone } from './seal-sums.ts'
import { SpanUsage } from './span-usage.ts'

/**
 * Moves the spans of a place. They point at their traces by number. They stay in the order in which they came: sorting them
 * costs as much as everything else here together, and compaction does it for the whole hour.
 */
export async function sealSpans(
  session: Session,
  place: SealPlace,
  live: LiveSpans,
  hour: LiveHour,
  numbers: PlaceNumbers,
): Promise<void> {
  const { alias } = place.file
  await numberTraces(session, place)
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_spans (row UINTEGER, service_no UINTEGER, origin_no UINTEGER, operation_no UINTEGER,
       called_no UINTEGER, dependency_no UINTEGER, callee_no UINTEGER, role UTINYINT)`,
  )
  const usage = new SpanUsage(live.texts.end)
  await appendRows(session, 'temp', 'place_spans', spanRows(live, hour, numbers, usage))
  await session.run(
    `INSERT INTO ${alias}.spans
     SELECT k.service_no, s.start_ns, t.trace_no, s.span_id, s.parent_id, s.duration_ns, s.kind, s.status, s.flags,
       s.dropped, k.origin_no, k.operation_no, s.status_message, s.trace_state, s.attributes, s.events, s.links,
       k.role, k.callee_no, k.called_no, k.dependency_no
     FROM ${place.open.alias}.spans s JOIN place_spans k ON k.row = s.rowid JOIN place_traces t ON t.trace_id = s.trace_id`,
  )
  if (usage.failed > 0)
    await sealFailures(
      session,
      alias,
      `SELECT k.service_no, s.start_ns, s.trace_id, s.span_id, s.parent_id, s.duration_ns, s.kind, k.operation_no,
         s.status_message, s.attributes, s.events
       FROM ${place.open.alias}.spans s JOIN place_spans k ON k.row = s.rowid WHERE s.status = 2`,
    )
  await session.run(
    `INSERT INTO ${alias}.drawn_spans
     SELECT s.trace_id, s.span_id, s.parent_id, s.start_ns, s.duration_ns, s.kind, k.service_no, k.operation_no
     FROM ${place.open.alias}.spans s JOIN place_spans k ON k.row = s.rowid WHERE ${isKeptDrawn('s.trace_id')}`,
  )
  if (usage.consumers > 0) await sealLinks(session, place)
  await appendRows(session, alias, 'usage', usage.rows(live.texts))
  await countKeys(session, place)
}

/** Also tells `usage` of each span that is not a copy. */
function spanRows(live: LiveSpans, hour: LiveHour, { names, origins }: PlaceNumbers, usage: SpanUsage): ChunkBuilder {
  const rows = new ChunkBuilder([UINTEGER, UINTEGER, UINTEGER, UINTEGER, UINTEGER, UINTEGER, UINTEGER, UTINYINT])
  for (let i = 0; i < hour.spans; i++) {
    const { segment, row } = live.span(hour.ids[i] as number)
    if (live.isCopy(segment, row)) continue
    usage.add(segment, row)
    putWord(rows, 0, segment.row[row] as number)
    putWord(rows, 1, names[segment.service[row] as number] as number)
    putWord(rows, 2, origins[segment.origin[row] as number] as number)
    putWord(rows, 3, names[segment.operation[row] as number] as number)
    putWord(rows, 4, nameOrNone(names, segment.called[row] as number))
    putWord(rows, 5, nameOrNone(names, segment.dependency[row] as number))
    putWord(rows, 6, nameOrNone(names, segment.ownCallee[row] as number))
    putByte(rows, 7, segment.ownRole[row] as number)
    rows.endRow()
  }
  return rows
}

async function numberTraces(session: Session, place: SealPlace): Promise<void> {
  const traces = `${place.file.alias}.traces`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_traces AS
     SELECT b.*, t.trace_no IS NOT NULL AS known,
       coalesce(t.trace_no, (SELECT coalesce(max(trace_no), 0) FROM ${traces})
         + row_number() OVER (PARTITION BY t.trace_no IS NULL))::UINTEGER AS trace_no,
       b.trace_id IN (SELECT trace_id FROM shared_ids) AS shared
     FROM (
       SELECT trace_id, min(start_ns) AS first_ns, max(start_ns) AS last_ns,
         min(start_ns) FILTER (parent_id = 0) AS root_ns
       FROM ${place.open.alias}.spans WHERE ${inPlace('start_ns')} GROUP BY trace_id) b
     LEFT JOIN ${traces} t ON t.trace_id = b.trace_id`,
    place.parameters,
  )
  if (!place.file.isEmpty)
    await session.run(
      `UPDATE ${traces} AS t SET shared = t.shared OR p.shared, first_ns = least(t.first_ns, p.first_ns),
         last_ns = greatest(t.last_ns, p.last_ns), root_ns = least(t.root_ns, p.root_ns)
       FROM place_traces p WHERE p.known AND p.trace_no = t.trace_no`,
    )
  await session.run(
    `INSERT INTO ${traces} SELECT trace_no, trace_id, shared, first_ns, last_ns, root_ns, ${place.open.number}
     FROM place_traces WHERE NOT known ORDER BY trace_no`,
  )
}

/** The spans that consumers link to, one by one. Links that cannot be read name nobody. */
export function linksOf(rows: string, service: string): string {
  return `SELECT TRY_CAST(link->>'traceId' AS UUID) AS trace_id, TRY_CAST('0x' || (link->>'spanId') AS UBIGINT) AS span_id,
      ${service} AS service
    FROM (SELECT *, unnest(TRY(CAST(links AS JSON[]))) AS link FROM ${rows} WHERE kind = 5 AND links <> '')`
}

async function sealLinks(session: Session, { open, file }: SealPlace): Promise<void> {
  const rows = `(SELECT s.kind, s.links, k.service_no FROM ${open.alias}.spans s JOIN place_spans k ON k.row = s.rowid
    WHERE s.kind = 5 AND s.links <> '')`
  await session.run(
    `INSERT INTO ${file.alias}.message_links SELECT trace_id, span_id, service FROM (${linksOf(rows, 'service_no')})
     WHERE trace_id IS NOT NULL AND span_id IS NOT NULL`,
  )
}

/** How often each attribute key occurs. Attributes that are no JSON must not keep everything else from being sealed. */
async function countKeys(session: Session, { open, file }: SealPlace): Promise<void> {
  const { alias } = file
  await session.run(
    `INSERT INTO ${alias}.usage
     SELECT 'key', key, sum(uses) FROM (
       SELECT ${keysOf('attributes')} AS key, uses
       FROM (${keySets(`${open.alias}.spans s JOIN place_spans k ON k.row = s.rowid`)}) UNION ALL
       SELECT ${keysOf('g.resource')}, uses
       FROM (SELECT origin_no, count(*) AS uses FROM place_spans GROUP BY origin_no) JOIN ${alias}.origins g USING (origin_no))
     GROUP BY key`,
  )
}

/** One row for each key of a JSON object; none where the text is no JSON. */
export function keysOf(json: string): string {
  return `unnest(TRY(json_keys(nullif(${json}, ''))))`
}

/** One span's attributes for each set of keys, and how many spans have that set. */
export function keySets(source: string): string {
  return `SELECT any_value(s.attributes) AS attributes, count(*) AS uses FROM ${source}
    GROUP BY coalesce(s.key_set, hash(s.attributes))`
}
