import type { Session } from '../engine/session.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'

const NS_PER_SECOND = 1_000_000_000n
/** Ids are folded to 28 bits: among ten million spans, a search by one finds its own and hardly ever another. */
const FOLDED_MAX = 0xfffffff
/** So many are sorted at a time, to keep to the memory limit. A search then looks once for each. */
const ROWS_PER_RUN = 4_194_304

/** Also ids that only count up, or differ in their first digits only, remain different. */
function folded(id: string): string {
  return `(xor(xor(${id} >> 36, (${id} >> 14) & ${FOLDED_MAX}), ${id} & ${FOLDED_MAX}))::UINTEGER`
}

/** Notes in which second of the hour the spans of a file began that is being rewritten. */
export async function noteTimes(session: Session, alias: string, hour: number): Promise<void> {
  const second = `((start_ns - ${nsRangeOfHour(hour).firstNs}) // ${NS_PER_SECOND})::USMALLINT`
  const [found] = await session.rows(`SELECT count(*) AS spans FROM ${alias}.spans`)
  for (let first = 0; first < Number(found?.['spans']); first += ROWS_PER_RUN)
    await session.run(
      `INSERT INTO ${alias}.span_times SELECT ${folded('span_id')} AS folded_id, ${second} FROM ${alias}.spans
       WHERE rowid BETWEEN ${first} AND ${first + ROWS_PER_RUN - 1} ORDER BY folded_id`,
    )
}

/** Where in an hour file a span may be: the spans of a second, or those from a row on, whose times nobody has noted. */
export interface Whereabouts {
  hour: number
  where: string
}

/** Where the span `$id` may be in the files of these hours. At most `limit` for each: more would be ids chosen to be alike. */
export async function whereabouts(scope: Scope, units: HourUnit[], id: string, limit: number): Promise<Whereabouts[]> {
  const sealed = units.flatMap(({ hour, file }) => (file ? [{ hour, alias: file.alias }] : []))
  if (sealed.length === 0) return []
  const noted = sealed.map(
    ({ hour, alias }) => `(SELECT ${hour} AS hour, second, NULL AS row FROM ${alias}.span_times
      WHERE folded_id = ${folded('$id::UBIGINT')} LIMIT ${limit})`,
  )
  const others = sealed.map(
    ({
      hour,
      alias,
    }) => `SELECT ${hour} AS hour, NULL AS second, n AS row FROM (SELECT count(*) AS n FROM ${alias}.span_times)
      WHERE n < (SELECT count(*) FROM ${alias}.spans)`,
  )
  const found = await scope.session.rows([...noted, ...others].join(' UNION ALL '), { id })
  return found.map(({ hour, second, row }) => ({
    hour: hour as number,
    where: second === null ? `rowid >= ${row}` : inSecond(hour as number, second as number),
  }))
}

function inSecond(hour: number, second: number): string {
  const { firstNs, lastNs } = nsRangeOfHour(hour)
  const beginNs = firstNs + BigInt(second) * NS_PER_SECOND
  const endNs = beginNs + NS_PER_SECOND - 1n
  return `start_ns BETWEEN ${beginNs} AND ${endNs < lastNs ? endNs : lastNs}`
}
