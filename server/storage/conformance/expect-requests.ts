import { expect } from 'vitest'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { RequestGroup } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { DAY_WINDOW } from './test-time.ts'

/** By service, sorted by name, without latencies. */
export async function requestsByService(
  reader: TelemetryReader,
  window: TimeWindow = DAY_WINDOW,
): Promise<RequestGroup[]> {
  const groups = await reader.requests({ window, by: ['service'], latencies: false })
  return groups.toSorted((a, b) => (a.serviceName < b.serviceName ? -1 : 1))
}

/** So many requests of each service in the window, and of no other service. */
export async function expectRequests(
  reader: TelemetryReader,
  counts: Record<string, number>,
  window: TimeWindow = DAY_WINDOW,
): Promise<void> {
  const found = (await requestsByService(reader, window)).map((group) => [group.serviceName, group.requestCount])
  expect(Object.fromEntries(found)).toEqual(counts)
  expect(found).toHaveLength(Object.keys(counts).length)
}
