import { expect, it } from 'vitest'
import { DEFAULT_APDEX } from '../../../domain/apdex.ts'
import type { HourFile } from '../files/hour-file.ts'
import { LiveSpans } from '../live/live-spans.ts'
import { KeptHour } from './kept-hour.ts'
import { MinuteRows } from './minute-rows.ts'

const ROWS = 1000
const BYTES_MAX = 300_000

it('rows of minutes make room, those asked for last stay, and so do the sums of their hour', async () => {
  const { kept } = new LiveSpans(() => DEFAULT_APDEX, 1024, BYTES_MAX)
  const file = { gone: false } as HourFile
  const hour = new KeptHour(1)
  await kept.load(file, async () => hour)
  const before = hour.bytes
  const first = new MinuteRows('requests', ROWS)
  const room = Math.floor((BYTES_MAX - before) / first.bytes)
  expect(room).toBeGreaterThan(5)
  hour.rows.requests.set(0, first)
  for (let minute = 1; minute < room + 3; minute++) {
    hour.rows.requests.set(minute, new MinuteRows('requests', ROWS))
    first.between(0, 0)
    kept.grown(hour)
  }
  expect(kept.find(file)).toBe(hour)
  expect(hour.bytes).toBeLessThanOrEqual(BYTES_MAX)
  expect([...hour.rows.requests.keys()]).toEqual([0, ...Array.from({ length: room - 1 }, (_, i) => i + 4)])
})
