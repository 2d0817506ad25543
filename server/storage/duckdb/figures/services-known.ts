import { NS_PER_HOUR, type TimeWindow } from '../../../domain/time-window.ts'
import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { KeptHour } from '../kept/kept-hour.ts'
import { GroupSums } from '../live/group-sums.ts'
import { kindOfWord } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'
import { namesOf } from '../scope/hour-names.ts'
import { inRanges, type MinuteRanges, minuteRanges } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { daysIn, inHours } from './day-rows.ts'
import { eachOpenOrigin } from './open-origins.ts'

const [SERVER, CONSUMER] = [2, 5]
const NEVER = -1
const MINUTES_PER_HOUR = 60

/** The 24 hours before a window's end: as long a service is remembered. */
export function dayBefore({ endNs }: TimeWindow): TimeWindow {
  return { startNs: endNs - 24n * NS_PER_HOUR, endNs }
}

/** Which services sent spans in a window, and which of them SERVER or CONSUMER spans. */
export interface KnownServices {
  all: Set<string>
  entries: Set<string>
}

/** A window of a day, or of anything that has the beginning or the end of every hour that it touches. */
export async function knownServices(scope: Scope, window: TimeWindow): Promise<KnownServices> {
  const known: KnownServices = { all: new Set(), entries: new Set() }
  const figures = await scope.openFigures()
  for (const { file, hour } of scope.units) {
    const ranges = minuteRanges(hour, window)
    if (!file || (!ranges.whole && ranges.ragged.length === 0)) continue
    const isSure = addSeen(known, await seenIn(scope.session, file), ranges)
    if (!isSure) await addRagged(known, scope.session, file, ranges.ragged)
  }
  for (const day of daysIn(scope.days, window))
    for (const { hour, seen } of await seenInDay(scope, day)) addSeen(known, seen, minuteRanges(hour, window))
  addOpen(known, figures, window)
  return known
}

/** The same from what is in memory, which `seenOfHour` tells of an hour file; undefined where that may not be all. */
export function knownInMemory(
  figures: OpenFigures,
  files: HourFile[],
  seenOfHour: (file: HourFile) => Seen[] | undefined,
  window: TimeWindow,
): KnownServices | undefined {
  const known: KnownServices = { all: new Set(), entries: new Set() }
  for (const file of files) {
    const ranges = minuteRanges(file.hour, window)
    if (!ranges.whole && ranges.ragged.length === 0) continue
    const seen = seenOfHour(file)
    if (!seen || !addSeen(known, seen, ranges)) return undefined
  }
  addOpen(known, figures, window)
  return known
}

/** Spans are looked at one by one only where part of a minute may have seen a service that no whole minute has. */
function addOpen(known: KnownServices, figures: OpenFigures, window: TimeWindow): void {
  const { origins } = figures.live
  const isEntry = (word: number) => kindOfWord(word) === SERVER || kindOfWord(word) === CONSUMER
  let isSure = true
  figures.eachGroup(
    window,
    ({ origins }) => origins,
    true,
    (sums, group) => {
      if (sums.sum(group, 0) <= 0) return
      add(known, origins.get(sums.key(group, 1)).origin.serviceName, isEntry(sums.key(group, 0)))
    },
  )
  for (const { hour, origins: sums } of figures.hours) {
    if (minuteRanges(hour, window).ragged.length === 0) continue
    for (let group = 0; group < sums.size; group++) {
      const { serviceName } = origins.get(sums.key(group, 1)).origin
      if (!known.all.has(serviceName) || (isEntry(sums.key(group, 0)) && !known.entries.has(serviceName)))
        isSure = false
    }
  }
  if (isSure) return
  eachOpenOrigin(figures, window, false, ({ service, kind, sums: [spans] }) => {
    if (spans > 0) add(known, service, kind === SERVER || kind === CONSUMER)
  })
}

function add({ all, entries }: KnownServices, service: string, isEntry: boolean): void {
  all.add(service)
  if (isEntry) entries.add(service)
}

/** The minutes of an hour in which a service, or its entries, were first and last seen. */
export interface Seen {
  service: string
  first: number
  last: number
  firstEntry: number
  lastEntry: number
}

const seenOf = new WeakMap<HourFile, { changedAtMs: number; seen: Seen[] }>()

/** What was read of an hour, where nothing was sealed into it since. */
export function seenBefore(file: HourFile): Seen[] | undefined {
  const known = seenOf.get(file)
  return known?.changedAtMs === file.changedAtMs ? known.seen : undefined
}

const seenOfKept = new WeakMap<KeptHour, { sealed: number; seen: Seen[] }>()

/** Of a kept hour, whose sums have the minutes of all spans. Worked out again when something was sealed into it. */
export function seenInKept(kept: KeptHour, live: OpenFigures['live']): Seen[] {
  const known = seenOfKept.get(kept)
  if (known?.sealed === kept.sealed.size) return known.seen
  const seen = seenInOrigins(kept, live)
  seenOfKept.set(kept, { sealed: kept.sealed.size, seen })
  return seen
}

function seenInOrigins({ origins: table }: KeptHour, { origins }: OpenFigures['live']): Seen[] {
  const byService = new Map<string, Seen>()
  for (const { minute, sums } of table.eachMinute(0, MINUTES_PER_HOUR)) {
    // A span that changed its role was taken away from one group and added to another.
    const spans = new GroupSums(1)
    for (let group = 0; group < sums.size; group++) {
      const at = spans.at(kindOfWord(sums.key(group, 0)), sums.key(group, 1), 0, 0, 0)
      spans.sums[at] = (spans.sums[at] as number) + sums.sum(group, 0)
    }
    for (let group = 0; group < spans.size; group++) {
      if (spans.sum(group, 0) <= 0) continue
      const kind = spans.key(group, 0)
      const service = origins.get(spans.key(group, 1)).origin.serviceName
      addMinute(byService, service, minute, kind === SERVER || kind === CONSUMER)
    }
  }
  return [...byService.values()]
}

/** Minutes come in order. */
function addMinute(byService: Map<string, Seen>, service: string, minute: number, isEntry: boolean): void {
  const seen = byService.get(service) ?? { service, first: minute, last: minute, firstEntry: NEVER, lastEntry: NEVER }
  byService.set(service, seen)
  seen.last = minute
  if (!isEntry) return
  if (seen.firstEntry === NEVER) seen.firstEntry = minute
  seen.lastEntry = minute
}

/** What an hour file has seen of its services, a row for each. */
export function seenRows(alias: string): string {
  return `SELECT service_no, min(minute) AS first, max(minute) AS last,
      coalesce(min(minute) FILTER (is_entry), ${NEVER})::INTEGER AS first_entry,
      coalesce(max(minute) FILTER (is_entry), ${NEVER})::INTEGER AS last_entry
    FROM (SELECT g.service_no, minute::INTEGER AS minute, kind IN (${SERVER}, ${CONSUMER}) AS is_entry
      FROM (SELECT origin_no, minute, kind, sum(spans) AS spans FROM ${alias}.minute_origins GROUP BY ALL) m
      JOIN ${alias}.origins g USING (origin_no) WHERE spans > 0)
    GROUP BY service_no`
}

/** Read once, and again when something was sealed into the hour. */
async function seenIn(session: Session, file: HourFile): Promise<Seen[]> {
  const known = seenOf.get(file)
  const { changedAtMs, alias } = file
  if (known?.changedAtMs === changedAtMs) return known.seen
  const answer = await session.numbers(seenRows(alias))
  const column = (index: number) => [...answer.column(index).subarray(0, answer.rows)]
  const nameOf = await namesOf(session, file, new Set(column(0)))
  const [first, last, firstEntry, lastEntry] = [column(1), column(2), column(3), column(4)]
  const seen = column(0).map((no, i) => ({
    service: nameOf(no),
    first: first[i] as number,
    last: last[i] as number,
    firstEntry: firstEntry[i] as number,
    lastEntry: lastEntry[i] as number,
  }))
  seenOf.set(file, { changedAtMs, seen })
  return seen
}

/** The same of hours that are rolled up. */
async function seenInDay({ session, hourFile }: Scope, day: RolledDay): Promise<{ hour: number; seen: Seen[] }[]> {
  const hours = day.hours.map((hour) => {
    const file = hourFile(hour)
    return { hour, file, changedAtMs: file?.changedAtMs, seen: file && seenBefore(file) }
  })
  if (hours.every(({ seen }) => seen)) return hours.map(({ hour, seen = [] }) => ({ hour, seen }))
  const answer = await session.numbers(
    `SELECT hour, service_no, first, last, first_entry, last_entry FROM ${day.file.alias}.seen WHERE ${inHours(day)}`,
  )
  const column = (index: number) => answer.column(index)
  const [hourOf, services, first, last] = [column(0), column(1), column(2), column(3)]
  const nameOf = await namesOf(session, day.file, new Set(services.subarray(0, answer.rows)))
  const byHour = new Map<number, Seen[]>(day.hours.map((hour) => [hour, []]))
  for (let row = 0; row < answer.rows; row++)
    byHour.get(hourOf[row] as number)?.push({
      service: nameOf(services[row] as number),
      first: first[row] as number,
      last: last[row] as number,
      firstEntry: column(4)[row] as number,
      lastEntry: column(5)[row] as number,
    })
  return hours.map(({ hour, file, changedAtMs = 0 }) => {
    const seen = byHour.get(hour) ?? []
    if (file) seenOf.set(file, { changedAtMs, seen })
    return { hour, seen }
  })
}

/** Whether all is known: false where a service may have been seen in part of a minute, and in no other. */
function addSeen(known: KnownServices, seen: Seen[], ranges: MinuteRanges): boolean {
  const { whole, ragged } = ranges
  const isIn = (first: number, last: number) => whole !== undefined && first < whole.end && last >= whole.first
  for (const { service, first, last, firstEntry, lastEntry } of seen) {
    if (isIn(first, last)) known.all.add(service)
    if (firstEntry !== NEVER && isIn(firstEntry, lastEntry)) known.entries.add(service)
  }
  if (ragged.length === 0) return true
  return seen.every(
    ({ service, firstEntry }) => known.all.has(service) && (firstEntry === NEVER || known.entries.has(service)),
  )
}

async function addRagged(known: KnownServices, session: Session, file: HourFile, ragged: TimeWindow[]): Promise<void> {
  const answer = await session.numbers(
    `SELECT service_no, bool_or(kind IN (${SERVER}, ${CONSUMER})) FROM ${file.alias}.spans
     WHERE ${inRanges('start_ns', ragged)} GROUP BY service_no`,
  )
  const numbers = [...answer.column(0).subarray(0, answer.rows)]
  const nameOf = await namesOf(session, file, new Set(numbers))
  for (const [i, no] of numbers.entries()) add(known, nameOf(no), answer.column(1)[i] === 1)
}
