import type { NumberColumns } from '../engine/number-columns.ts'
import type { Session } from '../engine/session.ts'
import { durationHalves } from '../figures/added-up.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { Sums } from '../live/group-sums.ts'
import { groupWord } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { KeptDurations } from './kept-durations.ts'
import { KeptHour } from './kept-hour.ts'
import type { KeptSums } from './kept-sums.ts'
import { loadLatencies } from './load-latencies.ts'
import { loadNumbers, type NumbersInMemory } from './numbers-in-memory.ts'

/** Of an hour's sums, about so many rows are read at a time. */
const ROWS_AT_ONCE = 20_000
const MINUTES_PER_HOUR = 60

const HALVES = durationHalves()
  .map((half) => `sum(${half})::DOUBLE`)
  .join(', ')

/** The columns of each table that are numbers of names or origins come after its minute, kind and role. */
const TABLES = {
  requests: {
    keys: 'service_no, operation_no',
    sums: `sum(requests)::DOUBLE, sum(errors)::DOUBLE, ${HALVES}, sum(satisfied)::DOUBLE, sum(tolerating)::DOUBLE`,
    role: 'role',
  },
  calls: {
    keys: 'service_no, callee_no, called_no, dependency_no',
    sums: `sum(calls)::DOUBLE, sum(errors)::DOUBLE, ${HALVES}, sum(unanswered)::DOUBLE`,
    role: '0::UTINYINT',
  },
  origins: { keys: 'origin_no', sums: `sum(spans)::DOUBLE, sum(errors)::DOUBLE, ${HALVES}`, role: 'role' },
} as const

/** Reads the sums of an hour within the caller's transaction; undefined where it has too many names to be kept. */
export async function loadKeptHour(session: Session, file: HourFile, live: LiveSpans): Promise<KeptHour | undefined> {
  const numbers = await loadNumbers(session, file, live)
  if (!numbers) return undefined
  const kept = new KeptHour(file.hour, await sealedIn(session, file))
  kept.lastIntoHourNs = file.isStripped ? Number.POSITIVE_INFINITY : await lastIntoHourNs(session, file)
  for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[])
    for (const minutes of await portionsOf(session, `${file.alias}.minute_${table}`))
      kept[table].add(await readSums(session, file, table, minutes, kept[table], numbers))
  await loadLatencies(session, file, kept, numbers)
  if (!file.isStripped) kept.durations = new KeptDurations(minutesOf(kept.requests), kept.requestSeries)
  return kept.isFull ? undefined : kept
}

interface Minutes {
  first: number
  end: number
}

/** Stretches of an hour, of which each has as many rows as are read at a time. */
async function portionsOf(session: Session, table: string): Promise<Minutes[]> {
  const counted = await session.numbers(`SELECT count(*)::DOUBLE FROM ${table}`)
  const portions = Math.min(MINUTES_PER_HOUR, Math.ceil((counted.column(0)[0] as number) / ROWS_AT_ONCE))
  const minuteAt = (portion: number) => Math.floor((portion * MINUTES_PER_HOUR) / portions)
  return Array.from({ length: portions }, (_, i) => ({ first: minuteAt(i), end: minuteAt(i + 1) }))
}

function minutesOf(sums: KeptSums): number[] {
  return Array.from({ length: MINUTES_PER_HOUR }, (_, minute) => minute).filter((minute) => sums.has(minute))
}

export async function sealedIn(session: Session, { alias }: HourFile): Promise<Float64Array> {
  const answer = await session.numbers(`SELECT open_no::DOUBLE FROM ${alias}.sealed`)
  return answer.column(0).subarray(0, answer.rows)
}

/** Whether the open files that were sealed when something was read are those that are in the sums at this moment. */
export function isSameSealed(sealed: Float64Array, kept: KeptHour): boolean {
  return sealed.length === kept.sealed.size && sealed.every((number) => kept.sealed.has(number))
}

async function lastIntoHourNs(session: Session, { alias, hour }: HourFile): Promise<number> {
  const parts = ['spans', 'request_corrections', 'call_corrections'].map(
    (table) => `SELECT max(start_ns) AS start_ns FROM ${alias}.${table}`,
  )
  const answer = await session.numbers(
    `SELECT coalesce(max(start_ns) - ${nsRangeOfHour(hour).firstNs}, -1)::DOUBLE FROM (${parts.join(' UNION ALL ')})`,
  )
  return answer.column(0)[0] as number
}

async function readSums(
  session: Session,
  { alias }: HourFile,
  table: keyof typeof TABLES,
  { first, end }: Minutes,
  { keying }: KeptSums,
  numbers: NumbersInMemory,
): Promise<Sums> {
  const { keys, sums, role } = TABLES[table]
  const answer = await session.numbers(
    `SELECT minute, kind, ${role} AS role, ${keys}, ${sums} FROM ${alias}.minute_${table}
     WHERE minute >= ${first} AND minute < ${end} GROUP BY ALL`,
  )
  const translate = table === 'origins' ? numbers.origin : numbers.name
  return new ReadSums(answer, keying.words, translate)
}

/** An answer of the database as sums in memory: minute, kind, role, what tells groups apart, and the sums. */
class ReadSums implements Sums {
  readonly size: number
  private readonly answer: NumberColumns
  private readonly words: number
  private readonly firstSum: number
  private readonly translate: (no: number) => number

  constructor(answer: NumberColumns, words: number, translate: (no: number) => number) {
    this.answer = answer
    this.size = answer.rows
    this.words = words
    this.firstSum = 2 + words
    this.translate = translate
  }

  key(group: number, word: number): number {
    const cell = (column: number) => this.answer.column(column)[group] as number
    if (word === 0) return groupWord(cell(0), cell(1), cell(2))
    return word < this.words ? this.translate(cell(word + 2)) : cell(word + 2)
  }

  sum(group: number, column: number): number {
    return this.answer.column(this.firstSum + column)[group] as number
  }
}
