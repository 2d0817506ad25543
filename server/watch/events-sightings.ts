import type { Sighting } from '../control/event-memory.ts'
import type { HourOfTelemetry } from '../diagnostics/changes/events-of-hour.ts'
import { MS_PER_MINUTE } from '../diagnostics/changes/found-event.ts'
import { mayBeNew, newcomers, rememberedSightings } from '../diagnostics/changes/sightings.ts'
import { windowOfMs } from '../domain/time-window.ts'
import type { RequestGroup } from '../storage/diagnostics-reader.ts'
import type { Look } from './events-look.ts'
import { recordFound } from './events-record.ts'
import { storable } from './storable.ts'

const SOURCE = 'sightings'

/** Takes note of the services and endpoints of an hour, and records those that are new. */
export async function rememberSightings(gridId: string, look: Look, hour: HourOfTelemetry): Promise<void> {
  const { events, eventMemory } = look.control
  const known = await eventMemory.sightings(gridId)
  const seen = [...servicesIn(hour), ...(await endpointsIn(look.reader, hour, known))]
  const { put, forget } = rememberedSightings(known, seen)
  if (put.length === 0 && forget.length === 0) return
  const after = new Map(known.map((each) => [nameOf(each), each]))
  for (const each of put) after.set(nameOf(each), each)
  for (const each of forget) after.delete(nameOf(each))
  const found = newcomers([...after.values()]).map((event) => ({ ...event, source: SOURCE }))
  await recordFound(gridId, events, { found, sources: [SOURCE] }, look.clock())
  await eventMemory.putSightings(gridId, put)
  await eventMemory.forgetSightings(gridId, forget)
}

function servicesIn({ start, activities: { rows } }: HourOfTelemetry): Sighting[] {
  const firsts = new Map<string, number>()
  for (const { serviceName, minuteNs } of rows) {
    const minuteMs = Number(minuteNs / 1_000_000n)
    firsts.set(serviceName, Math.min(minuteMs, firsts.get(serviceName) ?? minuteMs))
  }
  return [...firsts].map(([serviceName, firstMs]) => ({
    serviceName: storable(serviceName),
    operationName: '',
    firstMs,
    lastMs: start * MS_PER_MINUTE,
  }))
}

/** When endpoints were seen first is asked minute by minute, but only where one of them may be new. */
async function endpointsIn(
  reader: Look['reader'],
  { start, end }: HourOfTelemetry,
  known: Sighting[],
): Promise<Sighting[]> {
  const startMs = start * MS_PER_MINUTE
  const window = windowOfMs(startMs, end * MS_PER_MINUTE)
  const ofHour = (await reader.requests({ window, by: ['service', 'operation', 'kind'], latencies: false })).filter(
    isEndpoint,
  )
  const seen = ofHour.map((group) => sightingOf(group, startMs, startMs))
  if (!mayBeNew(known, seen)) return seen
  const byMinute = await reader.requests({ window, by: ['service', 'operation', 'kind', 'minute'], latencies: false })
  return byMinute.filter(isEndpoint).map((group) => sightingOf(group, Number(group.minuteNs / 1_000_000n), startMs))
}

function isEndpoint({ kind, operationName }: RequestGroup): boolean {
  return (kind === 'SERVER' || kind === 'CONSUMER') && operationName !== ''
}

function sightingOf({ serviceName, operationName }: RequestGroup, firstMs: number, lastMs: number): Sighting {
  return { serviceName: storable(serviceName), operationName: storable(operationName), firstMs, lastMs }
}

function nameOf({ serviceName, operationName }: Sighting): string {
  return JSON.stringify([serviceName, operationName])
}
