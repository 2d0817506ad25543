import { FailureTable } from '../../../domain/failure-table.ts'
import { type Failures, SAMPLES_MAX } from '../../../domain/failures.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Session } from '../engine/session.ts'
import type { OpenFile } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { namesOf } from '../scope/hour-names.ts'
import type { Scope } from '../scope/scope.ts'
import type { KeptTelling } from './kept-failures.ts'
import { OpenFailures } from './open-failures.ts'
import { recentFailures, type UnitFailures } from './recent-failures.ts'
import { type AskedFailures, addSealed } from './sealed-failures.ts'
import { settledFailures } from './settled-failures.ts'
import { Tellings } from './tellings.ts'

/** So many of the newest hours are answered from memory where they can be: questions are mostly about them. */
const RECENT_UNITS = 2
/** The failed spans of so many hours are looked for by one statement, which takes memory for each of them. */
const UNITS_AT_ONCE = 6

export async function failures(
  scope: Scope,
  window: TimeWindow,
  serviceName: string | undefined,
  limit: number,
): Promise<Failures> {
  const asked = { window, serviceName, limit }
  const found = new FailureTable()
  const tellings = new Tellings(found)
  const older = await addRecent(scope, asked, found, tellings)
  for (let first = 0; first < older.length; first += UNITS_AT_ONCE) {
    // The newest hours come first, and what is in others is older.
    if (found.count >= limit) break
    const units = older.slice(first, first + UNITS_AT_ONCE)
    const settled = await settledFailures(scope, units)
    for (const [unit, failures] of settled) await addKept(scope.session, unit, failures, asked, found, tellings)
    const files = units.flatMap((unit) => (unit.file && !settled.has(unit) ? [unit.file] : []))
    if (!(await addSealed(scope.session, files, asked, found, tellings)))
      for (const file of files) if (found.count < limit) await addSealed(scope.session, [file], asked, found, tellings)
    for (const unit of units) await addOpen(scope, unit, await scope.unsealedOf(unit), asked, found, tellings)
  }
  return found.newest(limit)
}

/** The newest hours, from memory as far as they are there. Returns the units that are left. */
async function addRecent(
  scope: Scope,
  asked: AskedFailures,
  found: FailureTable,
  tellings: Tellings,
): Promise<HourUnit[]> {
  const units = scope.units.slice(0, RECENT_UNITS)
  const recent = await recentFailures(scope, units, asked.window)
  for (const [i, unit] of units.entries()) {
    const failures = recent.get(unit)
    if (unit.file && !failures) return scope.units.slice(i)
    if (failures) await addKept(scope.session, unit, failures, asked, found, tellings)
    await addOpen(scope, unit, failures?.unsealed ?? unit.open, asked, found, tellings)
  }
  return scope.units.slice(RECENT_UNITS)
}

async function addKept(
  session: Session,
  { hour }: HourUnit,
  { file, failures, lastRow }: UnitFailures,
  { window, serviceName }: AskedFailures,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { columns, count } = failures
  const { firstNs } = nsRangeOfHour(hour)
  const sinceWindowNs = Number(firstNs - window.startNs)
  const [startNs, endNs] = [-sinceWindowNs, Number(window.endNs - firstNs)]
  const serviceOf = await namesOf(session, file, failures.services)
  const isAsked = new Uint8Array([...failures.services].reduce((most, no) => Math.max(most, no), 0) + 1)
  for (const no of failures.services) if (serviceName === undefined || serviceOf(no) === serviceName) isAsked[no] = 1
  const rows: number[] = []
  for (let row = 0; row < count; row++) {
    const sinceHourNs = columns.sinceHourNs[row] as number
    if (sinceHourNs < startNs || sinceHourNs >= endNs || (columns.row[row] as number) > lastRow) continue
    if (isAsked[columns.service[row] as number] === 1) rows.push(row)
  }
  const operationOf = await namesOf(session, file, new Set(rows.map((row) => columns.operation[row] as number)))
  const service = once((no) => found.name(serviceOf(no)))
  const operation = once((no) => found.name(operationOf(no)))
  const told = once((place) => {
    const { hash, telling, content } = failures.tellings[place] as KeptTelling
    return tellings.of(hash, telling, content)
  })
  const samples = new Map<number, number[]>()
  for (const row of rows) {
    const telling = columns.told[row] as number
    found.add({
      trace: columns.trace[row] as number,
      span: columns.span[row] as number,
      parent: columns.parent[row] as number,
      startNs: (columns.sinceHourNs[row] as number) + sinceWindowNs,
      durationNs: columns.durationNs[row] as number,
      kind: columns.kind[row] as number,
      service: service(columns.service[row] as number),
      operation: operation(columns.operation[row] as number),
      told: told(telling),
    })
    const chosen = samples.get(telling) ?? []
    samples.set(telling, chosen)
    sampleInto(chosen, row, columns.span)
  }
  for (const [telling, chosen] of samples)
    for (const row of chosen) tellings.sample(told(telling), failures.valuesOf(row))
}

/** Chooses the rows with the highest numbers of spans, which are as good as drawn. They descend. */
function sampleInto(chosen: number[], row: number, spans: Float64Array): void {
  const span = spans[row] as number
  let at = chosen.length
  if (at === SAMPLES_MAX && span <= (spans[chosen[at - 1] as number] as number)) return
  while (at > 0 && span > (spans[chosen[at - 1] as number] as number)) at--
  chosen.splice(at, 0, row)
  if (chosen.length > SAMPLES_MAX) chosen.pop()
}

/** Looks each number up once. */
function once(find: (number: number) => number): (number: number) => number {
  const found: (number | undefined)[] = []
  return (number) => (found[number] ??= find(number))
}

async function addOpen(
  scope: Scope,
  unit: HourUnit,
  unsealed: OpenFile[],
  { window, serviceName }: AskedFailures,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { firstNs } = nsRangeOfHour(unit.hour)
  const sinceWindowNs = Number(firstNs - window.startNs)
  const [startNs, endNs] = [Number(window.startNs - firstNs), Number(window.endNs - firstNs)]
  for (const file of unsealed)
    for (const failure of await OpenFailures.of(file, scope.grid.grid, unit.hour).read(scope, file, unit.hour)) {
      const { sinceHourNs, service } = failure
      if (sinceHourNs < startNs || sinceHourNs >= endNs) continue
      if (serviceName !== undefined && service !== serviceName) continue
      const told = tellings.ofContent(failure.telling, failure.content)
      tellings.sample(told, failure.values)
      found.add({
        trace: failure.trace,
        span: failure.span,
        parent: failure.parent,
        startNs: sinceHourNs + sinceWindowNs,
        durationNs: failure.durationNs,
        kind: failure.kind,
        service: found.name(service),
        operation: found.name(failure.operation),
        told,
      })
    }
}
