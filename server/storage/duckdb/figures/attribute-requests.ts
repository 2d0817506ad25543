import type { ApdexThresholds } from '../../../domain/apdex.ts'
import { BUCKET_FACTOR, percentileMs } from '../../../domain/latencies.ts'
import { SPAN_KINDS } from '../../../domain/span.ts'
import { type RequestStep, type RequestStepQuestion, SERVICE_NAME, SPAN_KIND, SPAN_NAME } from '../../chart-reader.ts'
import type { Row } from '../engine/session.ts'
import { nsRangeOfHour } from '../layout.ts'
import { durationSum } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { type HourUnit, overlaps } from '../scope/asked-files.ts'
import { inRanges, stepOfColumn } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { AttributeTexts } from './attribute-texts.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'

const TWO_TO_32 = 4_294_967_296n
const MINUTES_PER_HOUR = 60
/** How a request is judged, as a number. */
const [FAILED, SATISFIED, TOLERATING, FRUSTRATED] = [0, 1, 2, 3]

/**
 * Requests by attributes that no sums are kept by: every span is read, so that nothing is known of spans which are no longer
 * kept. The scope must reach a day back from the window's end.
 */
export async function attributeRequests(
  scope: Scope,
  question: RequestStepQuestion,
  apdex: ApdexThresholds,
): Promise<RequestStep[]> {
  const { window, stepMinutes, groupBy, filter, serviceName, percentiles } = question
  const known = await knownServices(scope, dayBefore(window))
  const figures = figuresIn(await scope.openFigures(), question, known)
  const units = scope.units.filter(({ hour }) => overlaps(hour, window))
  const parts = units.flatMap((unit) => requestsOfUnit(unit, inRanges('start_ns', [window])))
  if (parts.length === 0) return []
  const texts = new AttributeTexts({ [SERVICE_NAME]: 'service', [SPAN_NAME]: 'operation', [SPAN_KIND]: KIND_TEXT })
  const where = [texts.matching(filter)]
  if (serviceName !== undefined) where.push(`service = ${texts.parameter('service', serviceName)}`)
  const group = groupBy === '' ? "''" : `coalesce(${texts.text(groupBy)}, '')`
  const threshold = thresholdSql(apdex, texts)
  const bucket = `floor(ln(greatest(duration_ns, 1)) / ${Math.log(BUCKET_FACTOR)})::SMALLINT`
  const rows = await scope.session.rows(
    `SELECT ${group} AS grouped, ${stepOfColumn('start_ns', stepMinutes)} AS step_ns, ${percentiles ? bucket : '0'} AS bucket,
       CASE WHEN status = 2 THEN ${FAILED} WHEN duration_ns <= ${threshold} THEN ${SATISFIED}
         WHEN duration_ns <= 4 * ${threshold} THEN ${TOLERATING} ELSE ${FRUSTRATED} END AS judged,
       round(sum(n)) AS requests, (round(sum(n * duration_ns))::HUGEINT % ${TWO_TO_32})::DOUBLE AS low,
       (round(sum(n * duration_ns))::HUGEINT // ${TWO_TO_32})::DOUBLE AS high
     FROM (${parts.join(' UNION ALL ')}) WHERE ${where.join(' AND ')} GROUP BY ALL HAVING round(sum(n)) <> 0`,
    {
      ...scope.grid,
      ...texts.parameters,
      entries: JSON.stringify([...known.entries]),
      figures: JSON.stringify(figures),
    },
  )
  return stepsOf(rows, percentiles)
}

const KIND_TEXT = `CASE kind ${SPAN_KINDS.map((kind, number) => `WHEN ${number} THEN '${kind}'`).join(' ')} ELSE 'INTERNAL' END`

/** What is in memory tells which spans that are not sealed yet are requests, and corrects those that are. */
function figuresIn(figures: OpenFigures, { window }: RequestStepQuestion, { entries }: KnownServices): string[][] {
  const { texts } = figures.live
  const found: string[][] = []
  figures.eachOpenSpan(
    window,
    'requests',
    ({ minute, intoHourNs, durationNs, service, operation, kind, status, role, n }) => {
      const name = texts.text(service)
      if ((role & (entries.has(name) ? REQUEST : LOCAL_ROOT)) === 0) return
      const startNs = nsRangeOfHour(Math.floor(minute / MINUTES_PER_HOUR)).firstNs + BigInt(intoHourNs)
      found.push([startNs, durationNs, name, texts.text(operation), kind, status, n].map(String))
    },
  )
  return found
}

const OWN = 'start_ns, duration_ns, kind, status, service, operation, attributes, resource'
const KEY = 'start_ns, duration_ns, service, operation, kind, status'
const FIGURES = `(SELECT ${KEY}, sum(n) AS n FROM (SELECT f[1]::BIGINT AS start_ns, f[2]::BIGINT AS duration_ns, f[3] AS service, f[4] AS operation,
    f[5]::UTINYINT AS kind, f[6]::UTINYINT AS status, f[7]::INTEGER AS n
  FROM (SELECT unnest(from_json($figures::JSON, '[["VARCHAR"]]')) AS f)) GROUP BY ALL)`
const IS_REQUEST = `CASE WHEN service IN (SELECT unnest(json_extract_string($entries::JSON, '$[*]')))
  THEN role & ${REQUEST} ELSE role & ${LOCAL_ROOT} END <> 0`

/** Requests one by one, with `n` to be added up. */
function requestsOfUnit(unit: HourUnit, inTime: string): string[] {
  const parts: string[] = []
  const spans: string[] = []
  if (unit.file && !unit.file.isStripped) {
    const { alias } = unit.file
    const numbered = `(SELECT s.*, v.name AS service, o.name AS operation, g.resource FROM ${alias}.spans s
      JOIN ${alias}.origins g USING (origin_no) JOIN ${alias}.names v ON v.name_no = s.service_no
      JOIN ${alias}.names o ON o.name_no = s.operation_no WHERE ${inTime})`
    const numbers = 'start_ns, service_no, operation_no, origin_no, kind, status, duration_ns'
    parts.push(
      `SELECT ${OWN}, 1::DOUBLE AS n FROM ${numbered} WHERE ${IS_REQUEST}`,
      `SELECT ${OWN}, ${shared(`${numbers}, role`)} AS n FROM (SELECT s.* EXCLUDE (role), c.role, c.n FROM ${numbered} s
         JOIN (SELECT ${numbers}, role, sum(n) AS n FROM ${alias}.request_corrections GROUP BY ALL) c USING (${numbers}))
       WHERE ${IS_REQUEST}`,
    )
    spans.push(`SELECT ${OWN} FROM ${numbered}`)
  }
  const rows = openRows(unit, 'spans')
  if (rows) spans.push(`SELECT ${OWN} FROM ${rows} s JOIN ${openOrigins(unit)} g USING (origin) WHERE ${inTime}`)
  if (unit.open.length > 0 && spans.length > 0)
    parts.push(`SELECT ${OWN}, ${shared(KEY)} AS n FROM (${spans.join(' UNION ALL ')}) JOIN ${FIGURES} USING (${KEY})`)
  return parts
}

/** Spans that are alike in all that is known of them share what is told of them. */
function shared(key: string): string {
  return `n::DOUBLE / count(*) OVER (PARTITION BY ${key})`
}

function thresholdSql({ defaultMs, byService }: ApdexThresholds, texts: AttributeTexts): string {
  const other = `${defaultMs * 1e6}::DOUBLE`
  const own = Object.entries(byService).map(([name, ms]) => `WHEN ${texts.parameter('apdex', name)} THEN ${ms * 1e6}`)
  return own.length > 0 ? `(CASE service ${own.join(' ')} ELSE ${other} END)` : other
}

function stepsOf(rows: Row[], percentiles: boolean): RequestStep[] {
  const cells = new Map<string, Row[]>()
  for (const row of rows) {
    const key = `${row['step_ns']} ${row['grouped']}`
    const cell = cells.get(key)
    if (cell) cell.push(row)
    else cells.set(key, [row])
  }
  return [...cells.values()].map((cell) => stepOf(cell, percentiles)).filter(({ requestCount }) => requestCount > 0)
}

function stepOf(rows: Row[], percentiles: boolean): RequestStep {
  const [first] = rows as [Row]
  const countOf = (...judged: (number | undefined)[]) =>
    rows.reduce((sum, row) => (judged.includes(row['judged'] as number) ? sum + (row['requests'] as number) : sum), 0)
  const byBucket = new Map<number, number>()
  for (const row of rows) {
    const bucket = row['bucket'] as number
    byBucket.set(bucket, (byBucket.get(bucket) ?? 0) + (row['requests'] as number))
  }
  const sorted = percentiles ? [...byBucket].sort(([a], [b]) => a - b) : []
  const latencies = { exactNs: undefined, buckets: sorted.map(([b]) => b), counts: sorted.map(([, count]) => count) }
  return {
    group: first['grouped'] as string,
    stepNs: first['step_ns'] as bigint,
    requestCount: countOf(FAILED, SATISFIED, TOLERATING, FRUSTRATED),
    errorCount: countOf(FAILED),
    durationNsSum: rows.reduce((sum, row) => sum + durationSum(row['low'] as number, row['high'] as number), 0n),
    satisfiedCount: countOf(SATISFIED),
    toleratingCount: countOf(TOLERATING),
    p50Ms: percentileMs(latencies, 50),
    p95Ms: percentileMs(latencies, 95),
    p99Ms: percentileMs(latencies, 99),
  }
}
