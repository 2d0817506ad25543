import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { hexOfNumber } from '../traces/span-rows-read.ts'

/** More names than a system has, unless it makes them up for each request. */
const NAMES_MAX = 50_000

/** What the numbers of an hour file are among the texts and origins in memory. */
export interface NumbersInMemory {
  name(no: number): number
  /** The file's own number of a name, if it has one. */
  noOfName(number: number): number | undefined
  origin(no: number): number
}

/** Undefined where there are too many. The caller holds the numbers in memory. */
export async function loadNumbers(
  session: Session,
  { alias }: HourFile,
  live: LiveSpans,
): Promise<NumbersInMemory | undefined> {
  const named = await session.rows(`SELECT name_no, name FROM ${alias}.names LIMIT ${NAMES_MAX + 1}`)
  if (named.length > NAMES_MAX) return undefined
  const from = await session.rows(
    `SELECT g.origin_no, g.origin, n.name AS service, g.resource, g.scope_name, g.scope_version FROM ${alias}.origins g
     JOIN ${alias}.names n ON n.name_no = g.service_no LIMIT ${NAMES_MAX + 1}`,
  )
  if (from.length > NAMES_MAX) return undefined
  const names: number[] = [0]
  for (const row of named) names[row['name_no'] as number] = live.texts.ofText(row['name'] as string)
  const origins: number[] = []
  for (const row of from) {
    const origin = {
      serviceName: row['service'] as string,
      resourceJson: row['resource'] as string,
      scopeName: row['scope_name'] as string,
      scopeVersion: row['scope_version'] as string,
    }
    origins[row['origin_no'] as number] = live.origins.of(hexOfNumber(row['origin']), origin)
  }
  return {
    name: (no) => names[no] ?? 0,
    noOfName: (number) => {
      const no = names.indexOf(number)
      return no < 0 ? undefined : no
    },
    origin: (no) => origins[no] ?? 0,
  }
}
