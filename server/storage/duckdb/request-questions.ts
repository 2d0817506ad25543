import { EXACT_REQUESTS_MAX, type Latencies, NO_LATENCIES } from '../../domain/latencies.ts'
import { SPAN_KINDS, spanKindOf } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { RequestGroup, RequestKey, RequestQuestion } from '../diagnostics-reader.ts'
import { relateRequests } from './kinship.ts'
import { gatherOpenKin } from './open-kin.ts'
import {
  openBuckets,
  openRequestRows,
  openSums,
  type RequestSelection,
  sealedBuckets,
  sealedRows,
  sealedSums,
} from './request-rows.ts'
import { rolledHours } from './rolled-hours.ts'
import { LOCAL_ROOT, REQUEST } from './schema.ts'
import { type HourUnit, overlaps, type Scope } from './scope.ts'
import type { ApdexParameters } from './seal-place.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'
import type { Parameters, Row } from './session.ts'

const COLUMNS: Record<RequestKey, string> = {
  service: 'service',
  operation: 'operation',
  kind: 'kind',
  minute: 'minute_ns',
}

/** The whole of one question: which rows, of which units, with which parameters. */
interface Asked {
  scope: Scope
  units: HourUnit[]
  selection: RequestSelection
  parameters: Parameters
  hasOpen: boolean
}

/** The scope must reach a day back from the window's end. */
export async function requests(
  scope: Scope,
  question: RequestQuestion,
  apdex: ApdexParameters,
): Promise<RequestGroup[]> {
  const asked = await prepared(scope, question, apdex)
  const rolesOf = await rolesAsked(asked, question.window)
  const sums = await allRows(asked, sealedSums, openSums, 'sum(requests)', SUMS_ADDED)
  const groups = new Map<string, RequestGroup>()
  for (const row of sums.filter((row) => rolesOf(row))) addSums(groups, row, question.by)
  for (const [key, group] of groups) if (group.requestCount === 0) groups.delete(key)
  if (question.latencies) await addLatencies(asked, question, rolesOf, groups)
  return [...groups.values()]
}

async function prepared(scope: Scope, question: RequestQuestion, apdex: ApdexParameters): Promise<Asked> {
  const { window, by, serviceName, kind } = question
  const conditions = [
    ...(serviceName === undefined ? [] : ['service = $service']),
    ...(kind === undefined ? [] : [`kind IN (${kindNumbers(kind)})`]),
  ]
  // By service always, because what counts as a request depends on it.
  const keys = [...new Set(['service', ...by.map((key) => COLUMNS[key])])]
  const selection = { window, keys, where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '' }
  const hasOpen = await gatherOpenKin(scope, window, dayBefore(window), 'requests')
  if (hasOpen) await relateRequests(scope.session)
  const parameters = { ...apdex, ...(serviceName === undefined ? {} : { service: serviceName }) }
  const units = scope.units.filter(({ hour }) => overlaps(hour, window))
  return {
    scope,
    units,
    selection: { ...selection, rolled: await rolledHours(scope, units, window) },
    parameters,
    hasOpen,
  }
}

function kindNumbers(kind: string): string {
  return [...SPAN_KINDS.keys()].filter((number) => SPAN_KINDS[number] === kind).join(', ')
}

const SUMS_ADDED = ['requests', 'errors', 'duration_ns', 'satisfied', 'tolerating']
  .map((column) => `sum(${column}) AS ${column}`)
  .join(', ')

async function allRows(
  { scope, units, selection, parameters, hasOpen }: Asked,
  sealed: (unit: HourUnit, selection: RequestSelection) => string[],
  open: (selection: RequestSelection) => string,
  total: string,
  added: string,
): Promise<Row[]> {
  const parts = units.flatMap((unit) => sealed(unit, selection))
  if (hasOpen) parts.push(open(selection))
  if (parts.length === 0) return []
  const groups = ['role', ...selection.keys].join(', ')
  const sql = `SELECT ${groups}, ${added} FROM (${parts.join(' UNION ALL ')}) GROUP BY ${groups} HAVING ${total} <> 0`
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
  const selection = { ...asked.selection, keys: [...asked.selection.keys, 'bucket'] }
  const parts = asked.units.flatMap((unit) => sealedBuckets(unit, asked.selection))
  if (asked.hasOpen) parts.push(openBuckets(asked.selection))
  const keys = ['role', ...asked.selection.keys].join(', ')
  const sql = `SELECT ${keys}, list(bucket ORDER BY bucket) AS buckets, list(requests ORDER BY bucket) AS counts FROM (
      SELECT role, ${selection.keys.join(', ')}, sum(requests)::DOUBLE AS requests FROM (${parts.join(' UNION ALL ')})
      GROUP BY role, ${selection.keys.join(', ')} HAVING sum(requests) <> 0) GROUP BY ${keys}`
  const counts = new Map<RequestGroup, Map<number, number>>()
  for (const row of await asked.scope.session.rows(sql, asked.parameters)) {
    const group = rolesOf(row) ? groups.get(keyOf(row, by)) : undefined
    if (!group || isTold(group)) continue
    const sums = counts.get(group) ?? new Map<number, number>()
    counts.set(group, sums)
    const values = listOf(row['counts'])
    for (const [i, bucket] of listOf(row['buckets']).entries())
      sums.set(bucket, (sums.get(bucket) ?? 0) + (values[i] as number))
  }
  for (const [group, sums] of counts) group.latencies = bucketed(sums)
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
  const { scope, selection } = asked
  const smallServices = [...groups.values()].filter(isSmall).map(({ serviceName }) => serviceName)
  const named = by.includes('service')
    ? "service IN (SELECT unnest(json_extract_string($services::JSON, '$[*]')))"
    : 'true'
  const where = selection.where === '' ? `WHERE ${named}` : `${selection.where} AND ${named}`
  const parts = asked.units.flatMap((unit) => sealedRows(unit, { ...selection, where }, [window]))
  if (asked.hasOpen) parts.push(openRequestRows(where))
  if (parts.length === 0) return
  const keys = ['role', ...selection.keys].join(', ')
  const sql = `SELECT ${keys}, list(duration_ns::DOUBLE) AS durations, list(n::DOUBLE) AS counts FROM (
      SELECT ${keys}, duration_ns, sum(n) AS n FROM (${parts.join(' UNION ALL ')})
      GROUP BY ${keys}, duration_ns HAVING sum(n) <> 0)
    GROUP BY ${keys} HAVING count(*) <= ${EXACT_REQUESTS_MAX}`
  const services = listText(smallServices)
  const rows = await scope.session.rows(sql, { ...asked.parameters, services })
  const durations = new Map<RequestGroup, number[]>()
  for (const row of rows) {
    const group = rolesOf(row) ? groups.get(keyOf(row, by)) : undefined
    if (!group || !isSmall(group)) continue
    const values = durations.get(group) ?? []
    durations.set(group, values)
    const counts = listOf(row['counts'])
    listOf(row['durations']).forEach((duration, i) => {
      for (let n = counts[i] as number; n > 0; n--) values.push(duration)
    })
  }
  for (const [group, values] of durations)
    group.latencies = { exactNs: values.sort((a, b) => a - b), buckets: [], counts: [] }
}

/** A list of texts as the database reads one from text. */
function listText(texts: string[]): string {
  return JSON.stringify([...new Set(texts)])
}
