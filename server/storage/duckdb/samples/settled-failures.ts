import { joinedTexts } from '../engine/chunk-cells.ts'
import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { learnNames } from '../scope/hour-names.ts'
import type { Scope } from '../scope/scope.ts'
import { KeptFailures, type KeptTelling } from './kept-failures.ts'
import type { UnitFailures } from './recent-failures.ts'
import {
  otherColumns,
  SEALED_FAILURE_COLUMNS,
  type SealedFailureRows,
  sealedFailureColumns,
  sealedFailureRows,
} from './sealed-failure-rows.ts'
import { shortened } from './span-numbers.ts'

/** An hour of more is asked each time: who asks for one service would wait until those of all are read. */
const ROWS_MAX = 5_000
const TELLINGS_MAX = 1_000
/** The same of an hour with a longer text. */
const TEXT_BYTES_MAX = 2_000
/** Of all hours together. What is read by one statement may come on top. */
const BYTES_MAX = 48 * 1024 * 1024
/** Where there is no room, an hour that was asked about so lately is not dropped: others would be read for nothing, again and again. */
const IN_USE_MS = 10 * 60_000

interface SettledHour {
  /** Of the file when it was read. */
  version: number
  /** Undefined where they are too many. */
  failures: KeptFailures | undefined
  bytes: number
  lastUseMs: number
}

interface Reading {
  file: HourFile
  version: number
}

const hours = new Map<HourFile, SettledHour>()
let keptBytes = 0

/**
 * The failed spans of those of the units of which nothing is unsealed, where they are few. They are read once, for all services,
 * until something is sealed into their hour: of a day, a statement for each of its hours takes longer than all else.
 */
export async function settledFailures(scope: Scope, units: HourUnit[]): Promise<Map<HourUnit, UnitFailures>> {
  const nowMs = Date.now()
  const files = units.flatMap(({ file, open }) => (file && open.length === 0 ? [file] : []))
  const unknown = files.flatMap((file) => {
    const version = scope.versionOf(file)
    return hours.get(file)?.version === version ? [] : [{ file, version }]
  })
  if (unknown.length > 0 && hasRoom(nowMs)) await read(scope.session, unknown, nowMs)
  const found = new Map<HourUnit, UnitFailures>()
  for (const unit of units) {
    const { file } = unit
    const known = file && hours.get(file)
    if (!file || !known || unit.open.length > 0 || known.version !== scope.versionOf(file)) continue
    known.lastUseMs = nowMs
    const { failures } = known
    if (failures) found.set(unit, { file, failures, lastRow: failures.lastRow, unsealed: [] })
  }
  return found
}

function hasRoom(nowMs: number): boolean {
  for (const [file, { lastUseMs }] of hours)
    if (file.gone || (keptBytes >= BYTES_MAX && lastUseMs + IN_USE_MS < nowMs)) forget(file)
  return keptBytes < BYTES_MAX
}

function forget(file: HourFile): void {
  keptBytes -= hours.get(file)?.bytes ?? 0
  hours.delete(file)
}

async function read(session: Session, readings: Reading[], nowMs: number): Promise<void> {
  const few = await thoseOfFew(session, readings)
  const failures = few.length > 0 ? await readAll(session, few) : []
  for (const reading of readings) {
    const { file, version } = reading
    const kept = failures[few.indexOf(reading)]
    const bytes = kept?.bytes ?? 0
    forget(file)
    if (file.gone) continue
    hours.set(file, { version, failures: kept, bytes, lastUseMs: nowMs })
    keptBytes += bytes
  }
}

async function thoseOfFew(session: Session, readings: Reading[]): Promise<Reading[]> {
  const counts = readings.flatMap(({ file: { alias } }) =>
    ['failed_spans', 'tellings'].map((table) => `(SELECT count(*) FROM ${alias}.${table})::DOUBLE`),
  )
  const answer = await session.numbers(`SELECT ${counts.join(', ')}`)
  const countAt = (column: number) => answer.column(column)[0] as number
  return readings.filter((_, i) => countAt(2 * i) <= ROWS_MAX && countAt(2 * i + 1) <= TELLINGS_MAX)
}

/** Rows of several files, and behind them once more those that are what spans tell. */
interface ReadRows extends SealedFailureRows {
  /** The values that are the span's own, or what is told, and how long that is: what is too long is not read. */
  texts: string[]
  bytes: Uint32Array
}

/** One statement reads failed spans and what they tell: each way to the database takes its time. */
async function readAll(session: Session, readings: Reading[]): Promise<(KeptFailures | undefined)[]> {
  const selects = readings.flatMap(({ file: { alias, hour } }, place) => [
    `SELECT ${sealedFailureColumns(place, nsRangeOfHour(hour).firstNs)}, own_values AS text FROM ${alias}.failed_spans`,
    `SELECT ${otherColumns(place + readings.length, { telling: shortened('telling') })}, content FROM ${alias}.tellings`,
  ])
  const parts: ReadRows[] = []
  await session.cells(
    `SELECT * EXCLUDE (text), strlen(text)::UINTEGER, ${joinedTexts([`CASE WHEN strlen(text) <= ${TEXT_BYTES_MAX} THEN text ELSE '' END`])}
     FROM (${selects.join(' UNION ALL ')})`,
    (cells) => {
      const texts = cells.texts(SEALED_FAILURE_COLUMNS + 1, 1)
      parts.push({
        ...sealedFailureRows(cells),
        bytes: cells.words(SEALED_FAILURE_COLUMNS),
        texts: Array.from({ length: cells.rows }, (_, row) => texts(row)[0] as string),
      })
    },
  )
  const all: (KeptFailures | undefined)[] = readings.map(() => new KeptFailures(0))
  eachRow(parts, ({ place, bytes }, i) => {
    if ((bytes[i] as number) > TEXT_BYTES_MAX) all[(place[i] as number) % readings.length] = undefined
  })
  eachRow(parts, (rows, i) => {
    const [hash, content] = [rows.telling[i] as number, rows.texts[i] as string]
    all[(rows.place[i] as number) - readings.length]?.tell({
      hash,
      content,
      telling: JSON.parse(content) as KeptTelling['telling'],
    })
  })
  const numbers = readings.map(() => new Set<number>())
  eachRow(parts, (rows, i) => {
    const place = rows.place[i] as number
    all[place]?.add(rows, i, rows.telling[i] as number, rows.texts[i] as string)
    numbers[place]?.add(rows.service[i] as number).add(rows.operation[i] as number)
  })
  await learnNames(
    session,
    readings.map(({ file }, place) => ({ file, numbers: numbers[place] as Set<number> })),
  )
  return all
}

function eachRow(parts: ReadRows[], each: (rows: ReadRows, index: number) => void): void {
  for (const rows of parts) for (let i = 0; i < rows.count; i++) each(rows, i)
}
