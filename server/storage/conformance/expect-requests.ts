import { expect } from 'vitest'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { DAY_WINDOW } from './test-time.ts'

/** So many requests of each service in the window, and of no other service. */
export async function expectRequests(
  reader: TelemetryReader,
  counts: Record<string, number>,
  window: TimeWindow = DAY_WINDOW,
): Promise<void> {
  const requests = await reader.serviceRequests(window, { defaultMs: 500, byService: {} })
  const found = requests.map(({ serviceName, requestCount }) => [serviceName, requestCount])
  expect(Object.fromEntries(found)).toEqual(counts)
  expect(found).toHaveLength(Object.keys(counts).length)
}
