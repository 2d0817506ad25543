import type { TimeWindow } from '../../../domain/time-window.ts'
import { joinedTexts } from '../engine/chunk-cells.ts'
import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { OpenFile } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'
import { KeptFailures, type KeptTelling } from './kept-failures.ts'
import {
  otherColumns,
  SEALED_FAILURE_COLUMNS,
  type SealedFailureRows,
  sealedFailureColumns,
  sealedFailureRows,
} from './sealed-failure-rows.ts'
import { shortened } from './span-numbers.ts'
import { TextList } from './text-list.ts'

/** Of one file, at about 90 bytes each; and of all files together. */
const ROWS_MAX = 300_000
const ALL_ROWS_MAX = 500_000
const TELLINGS_MAX = 20_000
/** Windows move on: where there were too many, there may be fewer so much later. */
const TOO_MANY_NS = 5 * 60_000_000_000
/** Asked for one by one; of more that are missing, all are read. */
const MISSING_MAX = 1_000

/** Those used last come last. */
const kept = new Map<HourFile, KeptFailures>()
/** Files that have too many failed spans from a moment on, which is no earlier than this. */
const tooManyFrom = new WeakMap<HourFile, number>()

/**
 * An hour was rewritten: its failed spans are the same, in other rows. What is known of all of them stays, until something more is
 * sealed into the hour.
 */
export function failuresRewritten(file: HourFile, successor: HourFile): void {
  const failures = kept.get(file)
  kept.delete(file)
  if (failures?.version !== file.changedAtMs || successor.isStripped) return
  failures.isOfOtherRows = true
  kept.set(successor, failures)
}

/** The sealed failed spans of a unit as the question's snapshot has them, and others before its window. */
export interface UnitFailures {
  file: HourFile
  failures: KeptFailures
  /** The last row of the file that belongs to the snapshot. */
  lastRow: number
  /** The open files of the unit whose rows count. */
  unsealed: OpenFile[]
}

interface Reading extends UnitFailures {
  unit: HourUnit
}

/** Rows of several units, and behind them once more those that are the number of an open file that is sealed. */
interface ReadRows extends SealedFailureRows {
  ownValues: TextList
}

/**
 * The sealed failed spans of these units from the start of the window on; a unit that has too many is left out. What others have
 * read of a file is not read again: this must come before any other statement of the question, to see at least what they saw.
 */
export async function recentFailures(
  scope: Scope,
  units: HourUnit[],
  { startNs }: TimeWindow,
): Promise<Map<HourUnit, UnitFailures>> {
  const readings = units.flatMap((unit) => readingOf(scope, unit, startNs))
  const isKnown = ({ file, failures }: Reading) => failures.version === scope.versionOf(file)
  const known = readings.filter(isKnown)
  const unknown = readings.filter((reading) => !isKnown(reading))
  for (const reading of known) leaveOutSealed(reading, reading.failures.sealed)
  const found = new Map<HourUnit, UnitFailures>(known.map((reading) => [reading.unit, reading]))
  const parts = unknown.length > 0 ? await read(scope.session, unknown) : []
  for (const [place, reading] of unknown.entries()) {
    const sealed = sealedIn(parts, place + unknown.length)
    leaveOutSealed(reading, sealed)
    if (await keep(scope, reading, place, parts, sealed)) found.set(reading.unit, reading)
  }
  makeRoom()
  return found
}

function readingOf(scope: Scope, unit: HourUnit, startNs: bigint): Reading[] {
  const { file, hour, open } = unit
  if (!file) return []
  const fromNs = Math.max(0, Number(startNs - nsRangeOfHour(hour).firstNs))
  if (fromNs <= (tooManyFrom.get(file) ?? -1)) return []
  const known = kept.get(file)
  const mayReadOn = !known?.isOfOtherRows || known.version === scope.versionOf(file)
  const failures = known && known.fromNs <= fromNs && mayReadOn ? known : new KeptFailures(fromNs)
  return [{ unit, file, failures, lastRow: failures.lastRow, unsealed: open }]
}

/** One statement tells of the rows that were added and of what is sealed: each way to the database takes its time. */
async function read(session: Session, readings: Reading[]): Promise<ReadRows[]> {
  const selects = readings.flatMap(({ unit: { hour, open }, file: { alias }, failures, lastRow }, place) => {
    const { firstNs } = nsRangeOfHour(hour)
    const rows = `(SELECT ${sealedFailureColumns(place, firstNs)}, own_values FROM ${alias}.failed_spans
      WHERE rowid > ${lastRow} AND start_ns >= ${firstNs + BigInt(failures.fromNs)} LIMIT ${ROWS_MAX + 1})`
    const numbers = open.map(({ number }) => number)
    const sealed = `SELECT ${otherColumns(place + readings.length, { row: 'open_no' })}, ''
      FROM ${alias}.sealed WHERE open_no IN (${numbers.join(', ')})`
    return numbers.length > 0 ? [rows, sealed] : [rows]
  })
  const parts: ReadRows[] = []
  await session.cells(
    `SELECT * EXCLUDE (own_values), ${joinedTexts(['own_values'])} FROM (${selects.join(' UNION ALL ')})`,
    (cells) => {
      const texts = cells.texts(SEALED_FAILURE_COLUMNS, 1)
      const ownValues = new TextList()
      for (let row = 0; row < cells.rows; row++) ownValues.push(texts(row)[0] as string)
      parts.push({ ...sealedFailureRows(cells), ownValues })
    },
  )
  return parts
}

function sealedIn(parts: ReadRows[], place: number): Set<number> {
  const sealed = new Set<number>()
  eachRow(parts, place, ({ row }, i) => sealed.add(row[i] as number))
  return sealed
}

function leaveOutSealed(reading: Reading, sealed: Set<number>): void {
  reading.unsealed = reading.unsealed.filter(({ number }) => !sealed.has(number))
}

/** False where they are too many to be kept. */
async function keep(
  scope: Scope,
  reading: Reading,
  place: number,
  parts: ReadRows[],
  sealed: Set<number>,
): Promise<boolean> {
  const { failures, file } = reading
  const told = new Set<number>()
  let count = 0
  eachRow(parts, place, ({ row, telling }, i) => {
    count++
    told.add(telling[i] as number)
    reading.lastRow = Math.max(reading.lastRow, row[i] as number)
  })
  const tellings = await tellingsOf(scope.session, file, failures, told)
  kept.delete(file)
  if (failures.count + count > ROWS_MAX || failures.tellings.length + tellings.length > TELLINGS_MAX) {
    if (failures.count === 0) tooManyFrom.set(file, failures.fromNs + TOO_MANY_NS)
    return false
  }
  for (const telling of tellings) failures.tell(telling)
  // Another question may have added the same rows meanwhile. Rows come in any order.
  const { lastRow } = failures
  eachRow(parts, place, (rows, i) => {
    if ((rows.row[i] as number) > lastRow) failures.add(rows, i, rows.telling[i] as number, rows.ownValues.at(i))
  })
  for (const number of sealed) failures.sealed.add(number)
  failures.version = Math.max(failures.version ?? 0, scope.versionOf(file))
  kept.set(file, failures)
  return true
}

function eachRow(parts: ReadRows[], place: number, each: (rows: ReadRows, index: number) => void): void {
  for (const rows of parts) for (let i = 0; i < rows.count; i++) if (rows.place[i] === place) each(rows, i)
}

/** Those of these that are not known. */
async function tellingsOf(
  session: Session,
  { alias }: HourFile,
  failures: KeptFailures,
  hashes: Set<number>,
): Promise<KeptTelling[]> {
  const missing = [...hashes].filter((hash) => !failures.hasTelling(hash))
  if (missing.length === 0) return []
  const where = missing.length > MISSING_MAX ? '' : `WHERE told IN (${missing.join(', ')})`
  const rows = await session.rows(
    `SELECT * FROM (SELECT ${shortened('telling')} AS told, content FROM ${alias}.tellings) ${where}`,
  )
  return rows.map((row) => {
    const content = row['content'] as string
    return { hash: row['told'] as number, content, telling: JSON.parse(content) as KeptTelling['telling'] }
  })
}

function makeRoom(): void {
  let count = 0
  for (const [file, failures] of kept)
    if (file.gone) kept.delete(file)
    else count += failures.count
  for (const [file, failures] of kept) {
    if (count <= ALL_ROWS_MAX) return
    kept.delete(file)
    count -= failures.count
  }
}
