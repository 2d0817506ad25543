import type { Told } from '../../../domain/failures.ts'
import type { Row } from '../engine/session.ts'
import type { OpenFile } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { FAILURE_TEXTS, ToldInTexts } from '../seal/failure-texts.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { spanNumbers } from './span-numbers.ts'

/** A failed span that is not sealed yet. */
export interface OpenFailure extends Told {
  /** Of the telling. */
  content: string
  trace: number
  span: number
  parent: number
  sinceHourNs: number
  durationNs: number
  kind: number
  service: string
  operation: string
}

/** More than a question reads. */
const REMEMBERED_MAX = 20_000

/**
 * The failed spans of a Grid and hour in an open file. What they tell takes longer to find than they do, and rows are only ever
 * added to the file: those that were read are remembered.
 */
export class OpenFailures {
  private readonly remembered: OpenFailure[] = []
  private lastRow = -1
  /** Readings happen one after another, so that no row is remembered twice. */
  private turn: Promise<unknown> = Promise.resolve()

  static of(file: OpenFile, gridId: string, hour: number): OpenFailures {
    let byPlace = byFile.get(file)
    if (!byPlace) {
      byPlace = new Map()
      byFile.set(file, byPlace)
    }
    const place = `${gridId} ${hour}`
    const known = byPlace.get(place) ?? new OpenFailures()
    byPlace.set(place, known)
    return known
  }

  async read(scope: Scope, file: OpenFile, hour: number): Promise<OpenFailure[]> {
    const reading = this.turn.then(() => this.readOn(scope, file, hour))
    this.turn = reading.catch(() => undefined)
    return await reading
  }

  private async readOn({ session, grid }: Scope, file: OpenFile, hour: number): Promise<OpenFailure[]> {
    const unit: HourUnit = { hour, file: undefined, open: [file] }
    const own = 'trace_id, span_id, parent_id, start_ns, duration_ns, kind'
    const rows = openRows(
      unit,
      'spans',
      `rowid AS row, ${own}, status, status_message, operation, origin, attributes, events`,
    )
    const failed = await session.rows(
      `SELECT row::DOUBLE AS row, ${spanNumbers('hash(trace_id)', nsRangeOfHour(hour).firstNs)}, service, operation, status_message, attributes, exceptions
       FROM (SELECT row, ${own}, s.status_message, ${FAILURE_TEXTS}, g.service, s.operation
         FROM (SELECT * FROM ${rows} WHERE status = 2 AND row > ${this.lastRow}) s JOIN ${openOrigins(unit)} g USING (origin))
       ORDER BY row`,
      grid,
    )
    const texts = new ToldInTexts()
    const found = failed.map((row) => failureOf(row, texts))
    const room = REMEMBERED_MAX - this.remembered.length
    const all = [...this.remembered, ...found]
    this.remembered.push(...found.slice(0, room))
    const last = failed[Math.min(failed.length, room) - 1]
    if (last) this.lastRow = last['row'] as number
    return all
  }
}

/** Forgotten with the files. */
const byFile = new WeakMap<OpenFile, Map<string, OpenFailures>>()

function failureOf(row: Row, texts: ToldInTexts): OpenFailure {
  const { telling, values } = texts.of({
    statusMessage: row['status_message'] as string,
    attributes: row['attributes'] as string,
    exceptions: row['exceptions'] as string,
  })
  return {
    telling,
    values,
    content: JSON.stringify(telling),
    trace: row['trace'] as number,
    span: row['span'] as number,
    parent: row['parent'] as number,
    sinceHourNs: row['start'] as number,
    durationNs: row['duration'] as number,
    kind: row['kind'] as number,
    service: row['service'] as string,
    operation: row['operation'] as string,
  }
}
