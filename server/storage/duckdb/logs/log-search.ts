import type { LogRecord } from '../../../domain/log-record.ts'
import type { LogFilter, LogPage, Portion } from '../../telemetry-store.ts'
import type { Parameters, Row } from '../engine/session.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { doublingGroups } from '../scope/doubling-groups.ts'
import type { Scope } from '../scope/scope.ts'
import { hexOfUuid } from '../traces/span-rows-read.ts'
import { isCheap, logParameters, openMatches, sealedMatches } from './log-conditions.ts'
import { logOf, selectKeys, selectLogs } from './log-questions.ts'

/** A record lies in one hour, so that each hour counts its own, and those of the page are in the hours that it reaches. */
export async function searchLogs(scope: Scope, filter: LogFilter, { offset, limit }: Portion): Promise<LogPage> {
  const parameters = logParameters(scope, filter)
  const items: LogRecord[] = []
  let totalCount = 0
  for (const unit of scope.units) {
    const matches = await matchesIn(scope, unit, filter, parameters)
    if (!matches) continue
    const [counted] = await scope.session.rows(`SELECT count(*) AS n FROM ${matches}`, parameters)
    const count = Number(counted?.['n'])
    const [skipped, wanted] = [Math.max(0, offset - totalCount), limit - items.length]
    if (skipped < count && wanted > 0) {
      const keys = await scope.session.rows(
        `SELECT id::VARCHAR AS id, time_ns FROM ${matches} ORDER BY time_ns DESC, matches.id LIMIT ${wanted} OFFSET ${skipped}`,
        parameters,
      )
      items.push(...(await logsAt(scope, unit, keys)))
    }
    totalCount += count
  }
  return { items, totalCount }
}

/** Where reading texts decides, they are read once, and what matches is kept. */
async function matchesIn(
  scope: Scope,
  unit: HourUnit,
  filter: LogFilter,
  parameters: Parameters,
): Promise<string | undefined> {
  const parts = [await sealedMatches(scope, unit, filter), openMatches(unit, filter)]
  const selects = parts.filter((part) => part !== undefined).map((part) => `SELECT id, time_ns FROM ${part}`)
  if (selects.length === 0) return undefined
  const select = selects.join(' UNION ALL ')
  if (isCheap(filter)) return `(${select}) matches`
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE matches AS ${select}`, parameters)
  return 'matches'
}

/** The records of these keys, in their order. */
async function logsAt(scope: Scope, unit: HourUnit, keys: Row[]): Promise<LogRecord[]> {
  const times = keys.map((row) => row['time_ns'] as bigint)
  const newest = times[0] as bigint
  const ids = keys.map((row) => `'${row['id']}'::UUID`)
  const where = `time_ns BETWEEN ${times.at(-1)} AND ${newest} AND id IN (${ids.join(', ')})`
  const rows = await scope.session.rows(selectLogs(unit, where).join(' UNION ALL '), scope.grid)
  const found = new Map(rows.map(logOf).map((log) => [log.id, log]))
  return keys.flatMap((row) => found.get(hexOfUuid(row['id'])) ?? [])
}

/** Hours are looked through newest first, more at a time the longer it takes, and only for ids. */
export async function findLog(scope: Scope, id: string): Promise<LogRecord | undefined> {
  const parameters = { ...scope.grid, id }
  for (const group of doublingGroups(scope.units, 1)) {
    const sql = group.flatMap((unit) =>
      selectKeys(unit, 'id = $id::UUID', `${unit.hour} AS hour, id::VARCHAR AS id, time_ns`),
    )
    const [key] = await scope.session.rows(sql.join(' UNION ALL '), parameters)
    const unit = group.find(({ hour }) => hour === key?.['hour'])
    if (key && unit) return (await logsAt(scope, unit, [key]))[0]
  }
  return undefined
}

export async function firstLogOfSpan(scope: Scope, spanId: string): Promise<LogRecord | undefined> {
  const span = BigInt(`0x${spanId}`)
  if (span === 0n) return undefined
  const parameters = { ...scope.grid, span: String(span) }
  const ofSpan = 'span_id = $span::UBIGINT'
  const parts = scope.units.flatMap((unit) => selectKeys(unit, ofSpan, 'trace_id, time_ns'))
  if (parts.length === 0) return undefined
  const [trace] = await scope.session.rows(
    `SELECT trace_id::VARCHAR AS trace, min(time_ns) AS first_ns FROM (${parts.join(' UNION ALL ')}) GROUP BY trace_id
     ORDER BY max(time_ns) DESC, trace_id LIMIT 1`,
    parameters,
  )
  if (!trace) return undefined
  const where = `time_ns = ${trace['first_ns']} AND ${ofSpan} AND trace_id = $trace::UUID`
  const [row] = await scope.session.rows(
    `SELECT * FROM (${scope.units.flatMap((unit) => selectLogs(unit, where)).join(' UNION ALL ')}) ORDER BY id LIMIT 1`,
    { ...parameters, trace: hexOfUuid(trace['trace']) },
  )
  return row && logOf(row)
}
