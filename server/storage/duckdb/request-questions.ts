import type { ApdexThresholds } from '../../domain/apdex.ts'
import { EXACT_REQUESTS_MAX, type Latencies, NO_LATENCIES } from '../../domain/latencies.ts'
import { SPAN_KINDS, spanKindOf } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { RequestGroup, RequestKey, RequestQuestion } from '../diagnostics-reader.ts'
import type { OpenFigures } from './live/open-figures.ts'
import { type OpenRequests, openRequests } from './live/open-requests.ts'
import { type RequestSelection, sealedBuckets, sealedRows, sealedSums } from './request-rows.ts'
import { rolledHours } from './rolled-hours.ts'
import { LOCAL_ROOT, REQUEST } from './schema.ts'
import { type HourUnit, overlaps, type Scope } from './scope.ts'
import { apdexParameters } from './seal-place.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'
import type { Parameters, Row } from './session.ts'

const COLUMNS: Record<RequestKey, string> = {
  service: 'service',
  operation: 'operation',
  kind: 'kind',
  minute: 'minute_ns',
}

/** The whole of one question: which rows, of which units, with which parameters, and what is not sealed yet. */
interface Asked {
  scope: Scope
  units: HourUnit[]
  selection: RequestSelection
  parameters: Parameters
  open: OpenRequests
}

/** The scope must reach a day back from the window's end. */
export async function requests(
  scope: Scope,
  question: RequestQuestion,
  apdex: ApdexThresholds,
): Promise<RequestGroup[]> {
  const figures = await scope.openFigures()
  const asked = await prepared(scope, question, apdex, figures)
  const rolesOf = await rolesAsked(asked, question.window)
  const sums = [...(await sealedRowsOf(asked)), ...asked.open.sums]
  const groups = new Map<string, RequestGroup>()
  for (const row of sums.filter((row) => rolesOf(row))) addSums(groups, row, question.by)
  for (const [key, group] of groups) if (group.requestCount === 0) groups.delete(key)
  if (question.latencies) await addLatencies(asked, question, rolesOf, groups)
  return [...groups.values()]
}

async function prepared(
  scope: Scope,
  { window, by, serviceName, kind, latencies }: RequestQuestion,
  apdex: ApdexThresholds,
  figures: OpenFigures,
): Promise<Asked> {
  const conditions = [
    ...(serviceName === undefined ? [] : ['service = $service']),
    ...(kind === undefined ? [] : [`kind IN (${kindNumbers(kind).join(', ')})`]),
  ]
  // By service always, because what counts as a request depends on it.
  const keys = [...new Set(['service', ...by.map((key) => COLUMNS[key])])]
  const kinds = kind === undefined ? undefined : kindNumbers(kind)
  const open = openRequests(figures, { window, keys: new Set(keys), serviceName, kinds }, apdex, latencies)
  const selection = { window, keys, where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '' }
  const parameters = { ...apdexParameters(apdex), ...(serviceName === undefined ? {} : { service: serviceName }) }
  const units = scope.units.filter(({ hour }) => overlaps(hour, window))
  const rolled = await rolledHours(scope, units, window)
  return { scope, units, selection: { ...selection, rolled }, parameters, open }
}

function kindNumbers(kind: string): number[] {
  return [...SPAN_KINDS.keys()].filter((number) => SPAN_KINDS[number] === kind)
}

const SUMS_ADDED = ['requests', 'errors', 'duration_ns', 'satisfied', 'tolerating']
  .map((column) => `sum(${column}) AS ${column}`)
  .join(', ')

async function sealedRowsOf({ scope, units, selection, parameters }: Asked): Promise<Row[]> {
  const parts = units.flatMap((unit) => sealedSums(unit, selection))
  if (parts.length === 0) return []
  const groups = ['role', ...selection.keys].join(', ')
  const sql = `SELECT ${groups}, ${SUMS_ADDED} FROM (${parts.join(' UNION ALL ')}) GROUP BY ${groups}
    HAVING sum(requests) <> 0 OR sum(errors) <> 0 OR sum(duration_ns) <> 0 OR sum(satisfied) <> 0 OR sum(tolerating) <> 0`
  return await scope.session.rows(sql, parameters)
}

/** Whether a row counts: as a request, or for a service that nobody asked anything in a day, as a local root. */
async function rolesAsked({ scope }: Asked, window: TimeWindow): Promise<(row: Row) => boolean> {
  const { entries }: KnownServices = await knownServices(scope, dayBefore(window))
  return (row) => ((row['role'] as number) & (entries.has(row['service'] as string) ? REQUEST : LOCAL_ROOT)) !== 0
}

function addSums(groups: Map<string, RequestGroup>, row: Row, by: RequestKey[]): void {
  const key = keyOf(row, by)
  const group = groups.get(key) ?? emptyGroup(row, by)
  groups.set(key, group)
  group.requestCount += Number(row['requests'])
  group.errorCount += Number(row['errors'])
  group.durationNsSum += BigInt(String(row['duration_ns']))
  group.satisfiedCount += Number(row['satisfied'])
  group.toleratingCount += Number(row['tolerating'])
}

function keyOf(row: Row, by: RequestKey[]): string {
  return JSON.stringify(by.map((key) => String(row[COLUMNS[key]])))
}

function emptyGroup(row: Row, by: RequestKey[]): RequestGroup {
  return {
    serviceName: by.includes('service') ? (row['service'] as string) : '',
    operationName: by.includes('operation') ? (row['operation'] as string) : '',
    kind: by.includes('kind') ? spanKindOf(row['kind'] as number) : 'INTERNAL',
    minuteNs: by.includes('minute') ? BigInt(String(row['minute_ns'])) : 0n,
    requestCount: 0,
    errorCount: 0,
    durationNsSum: 0n,
    satisfiedCount: 0,
    toleratingCount: 0,
    latencies: NO_LATENCIES,
  }
}

/** Small groups have their durations told one by one, but minutes, of which there are too many. */
async function addLatencies(
  asked: Asked,
  { by, window }: RequestQuestion,
  rolesOf: (row: Row) => boolean,
  groups: Map<string, RequestGroup>,
): Promise<void> {
  const isSmall = ({ requestCount }: RequestGroup) => requestCount <= EXACT_REQUESTS_MAX && !by.includes('minute')
  const large = [...groups.values()].filter((group) => !isSmall(group))
  const small = [...groups.values()].filter(isSmall)
  if (small.length > 0) await addExact(asked, by, window, rolesOf, groups, isSmall)
  // Spans that are no longer kept cannot be told one by one.
  const isTold = (group: RequestGroup) => isSmall(group) && group.latencies.exactNs?.length === group.requestCount
  if (large.length > 0 || !small.every(isTold)) await addBuckets(asked, by, rolesOf, groups, isTold)
}

async function addBuckets(
  asked: Asked,
  by: RequestKey[],
  rolesOf: (row: Row) => boolean,
  groups: Map<string, RequestGroup>,
  isTold: (group: RequestGroup) => boolean,
): Promise<void> {
  const counts = new Map<RequestGroup, Map<number, number>>()
  const add = (row: Row, buckets: number[], values: number[]) => {
    const group = rolesOf(row) ? groups.get(keyOf(row, by)) : undefined
    if (!group || isTold(group)) return
    const sums = counts.get(group) ?? new Map<number, number>()
    counts.set(group, sums)
    for (const [i, bucket] of buckets.entries()) sums.set(bucket, (sums.get(bucket) ?? 0) + (values[i] as number))
  }
  for (const row of await bucketLists(asked)) add(row, listOf(row['buckets']), listOf(row['counts']))
  for (const row of asked.open.buckets) add(row, [row['bucket'] as number], [row['requests'] as number])
  for (const [group, sums] of counts) group.latencies = bucketed(sums)
}

async function bucketLists({ scope, units, selection, parameters }: Asked): Promise<Row[]> {
  const parts = units.flatMap((unit) => sealedBuckets(unit, selection))
  if (parts.length === 0) return []
  const keys = ['role', ...selection.keys].join(', ')
  const sql = `SELECT ${keys}, list(bucket) AS buckets, list(requests) AS counts FROM (
      SELECT ${keys}, bucket, sum(requests)::DOUBLE AS requests FROM (${parts.join(' UNION ALL ')})
      GROUP BY ${keys}, bucket HAVING sum(requests) <> 0) GROUP BY ${keys}`
  return await scope.session.rows(sql, parameters)
}

function bucketed(sums: Map<number, number>): Latencies {
  const sorted = [...sums].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b)
  return { exactNs: undefined, buckets: sorted.map(([bucket]) => bucket), counts: sorted.map(([, count]) => count) }
}

function listOf(value: unknown): number[] {
  return (value as { items: number[] }).items
}

async function addExact(
  asked: Asked,
  by: RequestKey[],
  window: TimeWindow,
  rolesOf: (row: Row) => boolean,
  groups: Map<string, RequestGroup>,
  isSmall: (group: RequestGroup) => boolean,
): Promise<void> {
  const durations = new Map<RequestGroup, Map<number, number>>()
  const countsOf = (row: Row) => {
    const group = rolesOf(row) ? groups.get(keyOf(row, by)) : undefined
    if (!group || !isSmall(group)) return undefined
    const counts = durations.get(group) ?? new Map<number, number>()
    durations.set(group, counts)
    return counts
  }
  const smallServices = [...groups.values()].filter(isSmall).map(({ serviceName }) => serviceName)
  for (const row of await exactLists(asked, by.includes('service') ? smallServices : undefined, window)) {
    const counts = countsOf(row)
    const times = listOf(row['counts'])
    if (!counts) continue
    for (const [i, ns] of listOf(row['durations']).entries()) addTo(counts, ns, times[i] as number)
  }
  for (const { row, counts: open } of asked.open.durations) {
    const counts = countsOf(row)
    if (counts) for (const [ns, count] of open) addTo(counts, ns, count)
  }
  for (const [group, counts] of durations) group.latencies = oneByOne(counts)
}

async function exactLists(asked: Asked, services: string[] | undefined, window: TimeWindow): Promise<Row[]> {
  const { scope, selection, units, parameters } = asked
  const named = services ? "service IN (SELECT unnest(json_extract_string($services::JSON, '$[*]')))" : 'true'
  const where = selection.where === '' ? `WHERE ${named}` : `${selection.where} AND ${named}`
  const parts = units.flatMap((unit) => sealedRows(unit, { ...selection, where }, [window]))
  if (parts.length === 0) return []
  const keys = ['role', ...selection.keys].join(', ')
  const sql = `SELECT ${keys}, list(duration_ns::DOUBLE) AS durations, list(n::DOUBLE) AS counts FROM (
      SELECT ${keys}, duration_ns, sum(n) AS n FROM (${parts.join(' UNION ALL ')})
      GROUP BY ${keys}, duration_ns HAVING sum(n) <> 0)
    GROUP BY ${keys} HAVING count(*) <= ${2 * EXACT_REQUESTS_MAX}`
  return await scope.session.rows(sql, { ...parameters, services: listText(services ?? []) })
}

function addTo(counts: Map<number, number>, ns: number, count: number): void {
  counts.set(ns, (counts.get(ns) ?? 0) + count)
}

function oneByOne(counts: Map<number, number>): Latencies {
  const exactNs = [...counts].flatMap(([ns, count]) => new Array<number>(Math.max(0, count)).fill(ns))
  return { exactNs: exactNs.sort((a, b) => a - b), buckets: [], counts: [] }
}

/** A list of texts as the database reads one from text. */
function listText(texts: string[]): string {
  return JSON.stringify([...new Set(texts)])
}
