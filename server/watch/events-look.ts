import { setImmediate } from 'node:timers/promises'
import type { ControlStore } from '../control/control-store.ts'
import { eventsOfHourInParts } from '../diagnostics/changes/events-of-hour.ts'
import type { FoundEvent } from '../diagnostics/changes/found-event.ts'
import { type GridState, stateOfText, textOfState } from '../diagnostics/changes/grid-state.ts'
import type { TelemetryReader } from '../storage/telemetry-store.ts'
import { type Hour, readHour } from './events-hour.ts'
import { recordFound } from './events-record.ts'
import { rememberSightings } from './events-sightings.ts'

export interface Look {
  reader: Pick<TelemetryReader, 'hourVersions' | 'requests' | 'resourceActivity'>
  control: Pick<ControlStore, 'events' | 'eventMemory'>
  clock: () => number
  isStopped: () => boolean
}

/** States are kept in memory until they are written: so many of them at once. */
const HOURS_AT_ONCE = 24

interface SeenThrough extends Hour {
  state: string | undefined
  events: FoundEvent[]
}

/** Looks through every hour that has changed since it was looked through, and through later ones as far as that matters. */
export async function lookForEvents(gridId: string, look: Look): Promise<void> {
  const hours = await changedHours(gridId, look)
  let at = hours.findIndex(({ isChanged }) => isChanged)
  while (at !== -1 && !look.isStopped()) {
    const reached = await lookThrough(gridId, look, hours, at)
    at = hours.findIndex(({ isChanged }, index) => index >= reached && isChanged)
  }
}

/** All hours with telemetry up to now, ascending. */
async function changedHours(gridId: string, { reader, control, clock }: Look): Promise<Hour[]> {
  const seen = new Map((await control.eventMemory.hours(gridId)).map((hour) => [hour.hourStartMs, hour.version]))
  return (await reader.hourVersions())
    .map(({ hourStartNs, version }) => ({ startMs: Number(hourStartNs / 1_000_000n), version }))
    .filter(({ startMs }) => startMs <= clock())
    .map((hour) => ({ ...hour, isChanged: seen.get(hour.startMs) !== hour.version }))
}

/**
 * Goes from the nearest state before a changed hour on, until what is found at the end of an hour is what was found there
 * before. What is normal is judged by the hour before, so that two hours after a changed one are looked through whatever is
 * found. Resolves to the index of the hour after the last one.
 */
async function lookThrough(gridId: string, look: Look, hours: Hour[], changed: number): Promise<number> {
  const memory = look.control.eventMemory
  const from = await memory.stateBefore(gridId, (hours[changed] as Hour).startMs)
  const state = from && stateOfText(from.state)
  const first = state ? hours.findIndex(({ startMs }) => startMs > from.hourStartMs) : 0
  let current: GridState = state ?? new Map()
  let done: SeenThrough[] = []
  for (let at = first; at < hours.length; at++) {
    const hour = hours[at] as Hour
    const isLast = at === hours.length - 1
    const seen = await seeThrough(gridId, look, current, hour, isLast)
    done.push(seen)
    const isNearChange = hour.isChanged || hours[at - 1]?.isChanged === true
    const isAsBefore = !isNearChange && seen.state === (await memory.state(gridId, hour.startMs))
    const isEnd = isLast || (at > changed && isAsBefore)
    if (isEnd || look.isStopped() || done.length === HOURS_AT_ONCE) {
      await write(gridId, look, done, isEnd ? undefined : hours[at + 1])
      done = []
    }
    if (isEnd || look.isStopped()) return at + 1
    current = stateOfText(seen.state ?? '') ?? new Map()
  }
  return hours.length
}

async function seeThrough(
  gridId: string,
  look: Look,
  state: GridState,
  hour: Hour,
  isLast: boolean,
): Promise<SeenThrough> {
  const { telemetry, isWhole } = await readHour(look.reader, hour, { isLast, nowMs: look.clock() })
  if (hour.isChanged) await rememberSightings(gridId, look, telemetry)
  const events: FoundEvent[] = []
  for (const part of eventsOfHourInParts(state, telemetry)) {
    events.push(...part)
    await setImmediate()
  }
  // The last hour is looked through again when another one follows: what it leaves open is told only then.
  return { ...hour, version: isWhole ? hour.version : '', state: isLast ? undefined : textOfState(state), events }
}

/** Where more is to come, the next hour is marked, so that a crash does not end the search here. */
async function write(gridId: string, look: Look, done: SeenThrough[], next: Hour | undefined): Promise<void> {
  const { eventMemory: memory } = look.control
  const found = done.flatMap(({ startMs, events }) => events.map((event) => ({ ...event, source: sourceOf(startMs) })))
  const sources = done.map(({ startMs }) => sourceOf(startMs))
  await recordFound(gridId, look.control.events, { found, sources }, look.clock())
  const put = done.map(({ startMs, version, state }) => ({
    hourStartMs: startMs,
    version,
    ...(state === undefined ? {} : { state }),
  }))
  if (next) {
    const state = await memory.state(gridId, next.startMs)
    put.push({ hourStartMs: next.startMs, version: '', ...(state === undefined ? {} : { state }) })
  }
  await memory.putHours(gridId, put)
}

function sourceOf(hourStartMs: number): string {
  return `hour ${new Date(hourStartMs).toISOString()}`
}
