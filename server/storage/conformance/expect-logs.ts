import { expect } from 'vitest'
import type { LogFilter, TelemetryReader } from '../telemetry-store.ts'
import { WHOLE_WINDOW } from './test-time.ts'

const ALL = { offset: 0, limit: 1000 }

/** Just these are found, newest first, by the last digits of their ids. */
export async function expectLogs(
  reader: TelemetryReader,
  filter: Partial<LogFilter>,
  ids: string[],
  portion = ALL,
): Promise<void> {
  const { items, totalCount } = await reader.searchLogs({ window: WHOLE_WINDOW, ...filter }, portion)
  expect(items.map((log) => log.id.replace(/^0+/, ''))).toEqual(ids)
  if (portion === ALL) expect(totalCount).toBe(ids.length)
}
