import type { SpanSummary } from '../../../domain/span.ts'
import type { TraceFilter, TracePage } from '../../telemetry-store.ts'
import { hourOf } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { conditionsOf, isUnfiltered, type UnitConditions } from './search-conditions.ts'
import { hexOfUuid, selectSpans, summaryOf } from './span-rows-read.ts'

interface Item {
  /** As the database writes it, with dashes. */
  traceId: string
  itemNs: bigint
}

/**
 * One item per trace, and how many traces match. Most traces lie in one hour file and nowhere else: of those each hour counts
 * its own `matches` and puts the newest into `offered`. The others, which have spans in two hours or in an open file, are
 * gathered over all hours in `scattered` and counted at the end, so that none is counted twice.
 */
export async function searchTraces(scope: Scope, filter: TraceFilter): Promise<TracePage> {
  await scope.session.run('CREATE TEMP TABLE scattered (trace_id UUID, first_ns BIGINT, root_ns BIGINT)')
  await scope.session.run('CREATE TEMP TABLE offered (trace_id UUID, item_ns BIGINT)')
  await gatherOpenTraces(scope)
  let wanted = filter.offset + filter.limit
  let totalCount = 0
  for (const unit of scope.units) {
    const conditions = await conditionsOf(scope, unit, filter)
    await gatherOpen(scope, unit, conditions)
    if (!unit.file || !conditions.sealed) continue
    if (isUnfiltered(filter)) await matchWholeTraces(scope, unit, filter, conditions)
    else await matchSpans(scope, unit, conditions)
    const count = await countOf(scope, 'SELECT count(*) AS n FROM matches')
    // An older hour has none that is newer than these.
    if (wanted > 0 && count > 0) await offerNewest(scope, unit, wanted)
    wanted -= Math.min(wanted, count)
    totalCount += count
  }
  totalCount += await countOf(scope, 'SELECT count(DISTINCT trace_id) AS n FROM scattered')
  const items = filter.offset < totalCount ? await itemsOf(scope, filter) : []
  return { items: await summariesOf(scope, filter, items), totalCount }
}

async function countOf(scope: Scope, sql: string): Promise<number> {
  const [counted] = await scope.session.rows(sql)
  return Number(counted?.['n'])
}

/** Every trace with a span in an open file, whatever is asked: it may match in a sealed hour as well. */
async function gatherOpenTraces(scope: Scope): Promise<void> {
  const parts = scope.openFiles.map((open) => `SELECT trace_id FROM ${open.alias}.spans WHERE grid = $grid::UUID`)
  const source =
    parts.length > 0
      ? `SELECT DISTINCT trace_id FROM (${parts.join(' UNION ALL ')})`
      : 'SELECT NULL::UUID AS trace_id WHERE false'
  await scope.session.run(`CREATE TEMP TABLE open_traces AS ${source}`, scope.grid)
}

async function gatherOpen(scope: Scope, unit: HourUnit, conditions: UnitConditions): Promise<void> {
  const rows = openRows(unit, 'spans')
  if (!rows || !conditions.open) return
  const sql = `INSERT INTO scattered SELECT trace_id, min(start_ns), ${conditions.rootNs} FROM ${rows}
    WHERE ${conditions.open} GROUP BY trace_id`
  await scope.session.run(sql, { ...scope.grid, ...conditions.parameters })
}

/** With nothing but a window asked, the table of traces answers for all that lie inside it. */
async function matchWholeTraces(
  scope: Scope,
  unit: HourUnit,
  filter: TraceFilter,
  conditions: UnitConditions,
): Promise<void> {
  const { startNs, endNs } = filter.window
  const traces = `${unit.file?.alias}.traces`
  const inside = `first_ns >= ${startNs} AND last_ns < ${endNs}`
  const outside = `last_ns < ${startNs} OR first_ns >= ${endNs}`
  await noteScattered(
    scope,
    `SELECT trace_no FROM ${traces} WHERE NOT (${outside})
    AND (shared OR NOT (${inside}) OR trace_id IN (SELECT trace_id FROM open_traces))`,
  )
  await gatherScattered(scope, unit, conditions)
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE matches AS SELECT trace_no, coalesce(root_ns, first_ns) AS item_ns FROM ${traces}
     WHERE ${inside} AND trace_no NOT IN (SELECT trace_no FROM scattered_nos)`,
  )
}

/** Spans are looked through once, and their traces told apart afterwards. */
async function matchSpans(scope: Scope, unit: HourUnit, conditions: UnitConditions): Promise<void> {
  const { alias } = unit.file ?? { alias: '' }
  await noteScattered(
    scope,
    `SELECT trace_no FROM ${alias}.traces
    WHERE shared OR trace_id IN (SELECT trace_id FROM open_traces)`,
  )
  const sql = `CREATE OR REPLACE TEMP TABLE matches AS SELECT trace_no, min(start_ns) AS item_ns FROM ${alias}.spans
    WHERE ${conditions.sealed} GROUP BY trace_no`
  const isCrowded = conditions.isCheap && (await countOf(scope, countSpans(alias, conditions))) >= CROWDED_FROM
  if (isCrowded) await scope.session.run(`SET perfect_ht_threshold = ${TRACE_BITS_MAX}`)
  await scope.session.run(sql, conditions.parameters)
  if (isCrowded) await scope.session.run('RESET perfect_ht_threshold')
  await scope.session.run(
    `INSERT INTO scattered SELECT t.trace_id, m.item_ns, NULL FROM matches m JOIN ${alias}.traces t USING (trace_no)
     WHERE m.trace_no IN (SELECT trace_no FROM scattered_nos)`,
  )
  await scope.session.run('DELETE FROM matches WHERE trace_no IN (SELECT trace_no FROM scattered_nos)')
}

/** So many matching spans are grouped in half the time by an array over all traces of the hour, up to two million. */
const CROWDED_FROM = 400_000
const TRACE_BITS_MAX = 21

function countSpans(alias: string, { sealed }: UnitConditions): string {
  return `SELECT count(*) AS n FROM ${alias}.spans WHERE ${sealed}`
}

async function noteScattered(scope: Scope, select: string): Promise<void> {
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE scattered_nos AS ${select}`)
}

async function gatherScattered(scope: Scope, unit: HourUnit, conditions: UnitConditions): Promise<void> {
  const { alias } = unit.file ?? { alias: '' }
  const sql = `INSERT INTO scattered SELECT t.trace_id, s.first_ns, s.root_ns FROM (
      SELECT trace_no, min(start_ns) AS first_ns, ${conditions.rootNs} AS root_ns FROM ${alias}.spans
      WHERE ${conditions.sealed} AND trace_no IN (SELECT trace_no FROM scattered_nos) GROUP BY trace_no) s
    JOIN ${alias}.traces t ON t.trace_no = s.trace_no`
  await scope.session.run(sql, conditions.parameters)
}

/** All that start no earlier than the last wanted one, because ties are ordered by trace id. */
async function offerNewest(scope: Scope, unit: HourUnit, wanted: number): Promise<void> {
  await scope.session.run(
    `INSERT INTO offered
     WITH newest AS (SELECT item_ns FROM matches ORDER BY item_ns DESC LIMIT ${wanted}),
     top AS (SELECT * FROM matches WHERE item_ns >= (SELECT min(item_ns) FROM newest))
     SELECT t.trace_id, item_ns FROM top JOIN ${unit.file?.alias}.traces t USING (trace_no)
     ORDER BY item_ns DESC, t.trace_id LIMIT ${wanted}`,
  )
}

/** The page asked for. Only that leaves the database, however far back it is. */
async function itemsOf(scope: Scope, { offset, limit }: TraceFilter): Promise<Item[]> {
  const rows = await scope.session.rows(
    `SELECT trace_id::VARCHAR AS id, item_ns FROM (
       SELECT trace_id, item_ns FROM offered UNION ALL
       SELECT trace_id, coalesce(min(root_ns), min(first_ns)) AS item_ns FROM scattered GROUP BY trace_id)
     ORDER BY item_ns DESC, trace_id LIMIT ${limit} OFFSET ${offset}`,
  )
  return rows.map((row) => ({ traceId: row['id'] as string, itemNs: row['item_ns'] as bigint }))
}

/** The spans that the items stand for: of a trace's matching spans with that start, a root first, then the smallest id. */
async function summariesOf(scope: Scope, filter: TraceFilter, items: Item[]): Promise<SpanSummary[]> {
  if (items.length === 0) return []
  const found = new Map<string, SpanSummary>()
  for (const unit of scope.units) {
    const inUnit = items.filter(({ itemNs }) => hourOf(itemNs) === unit.hour)
    if (inUnit.length === 0) continue
    for (const span of await spansOfItems(scope, unit, filter, inUnit)) {
      const known = found.get(span.traceId)
      if (!known || isBetter(span, known, filter)) found.set(span.traceId, span)
    }
  }
  return items.flatMap(({ traceId }) => found.get(hexOfUuid(traceId)) ?? [])
}

function isBetter(span: SpanSummary, known: SpanSummary, filter: TraceFilter): boolean {
  const rooted = isUnfiltered(filter) ? Number(span.parentSpanId === '') - Number(known.parentSpanId === '') : 0
  return rooted > 0 || (rooted === 0 && span.spanId < known.spanId)
}

async function spansOfItems(scope: Scope, unit: HourUnit, filter: TraceFilter, items: Item[]): Promise<SpanSummary[]> {
  const conditions = await conditionsOf(scope, unit, filter)
  const ids = items.map(({ traceId }) => `'${traceId}'`).join(', ')
  const starts = items.map(({ itemNs }) => itemNs)
  const times = `start_ns >= ${min(starts)} AND start_ns <= ${max(starts)}`
  // Numbers that are written out are compared before anything dear is.
  const traceNos = unit.file
    ? await scope.session.rows(`SELECT trace_no FROM ${unit.file.alias}.traces WHERE trace_id IN (${ids})`)
    : []
  const traces = traceNos.length > 0 ? `trace_no IN (${traceNos.map((row) => row['trace_no']).join(', ')})` : 'false'
  const sql = selectSpans(
    unit,
    'summary',
    `${traces} AND ${times} AND ${conditions.sealed ?? 'false'}`,
    `trace_id IN (${ids}) AND ${times} AND ${conditions.open ?? 'false'}`,
  )
  const rows = await scope.session.rows(sql, { ...scope.grid, ...conditions.parameters })
  const wanted = new Map(items.map(({ traceId, itemNs }) => [hexOfUuid(traceId), itemNs]))
  return rows.map(summaryOf).filter((span) => wanted.get(span.traceId) === span.startNs)
}

function min(values: bigint[]): bigint {
  return values.reduce((a, b) => (b < a ? b : a))
}

function max(values: bigint[]): bigint {
  return values.reduce((a, b) => (b > a ? b : a))
}
