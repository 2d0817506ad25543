import { expect } from 'vitest'
import type { TelemetryReader, TraceFilter } from '../telemetry-store.ts'
import { WHOLE_WINDOW } from './test-time.ts'

/** Everything from the start, unless asked otherwise. */
export function filterOf(asked: Partial<TraceFilter> = {}): TraceFilter {
  return { window: WHOLE_WINDOW, offset: 0, limit: 100, ...asked }
}

/** Finds just these traces, each by this span, in this order: `a/1` is span 1 of trace a. */
export async function expectFound(
  reader: TelemetryReader,
  asked: Partial<TraceFilter>,
  found: string[],
): Promise<void> {
  const { items, totalCount } = await reader.searchTraces(filterOf(asked))
  const short = (id: string) => id.replace(/^0+/, '')
  expect(items.map((item) => `${short(item.traceId)}/${short(item.spanId)}`)).toEqual(found)
  expect(totalCount).toBe(found.length)
}
