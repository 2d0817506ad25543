import { describe, expect, it } from 'vitest'
import { atNs } from '../../storage/conformance/test-time.ts'
import { failuresOf } from '../../storage/memory/failures-in.ts'
import { AT_MS, lastMinutes, pointsOf, pressureOf, updown } from './testing/metric-series.ts'
import { concurrencySaturations } from './trace-concurrency.ts'

const MINUTE_MS = 60_000

interface Story {
  /** Requests in work at once, in each of the last minutes. */
  heights: number[]
  /** How long callers waited to be let in, in each of them. */
  waitsMs: number[]
  requestCount?: number
  caller?: 'CLIENT' | 'PRODUCER'
}

/** What a store would sum up of that, 600 requests a minute. It is 10:30:20. */
function minutesOf({ heights, waitsMs, requestCount = 600, caller = 'CLIENT' }: Story) {
  const minuteNs = (i: number): bigint => atNs(AT_MS - (heights.length - i) * MINUTE_MS)
  const requests = heights.map((height, i) => ({
    serviceName: 'shop',
    minuteNs: minuteNs(i),
    requestCount,
    errorCount: 0,
    durationMs: height * 60_000,
  }))
  const edges = requests.map(({ durationMs, minuteNs: ns }, i) => ({
    targetName: 'shop',
    kind: caller,
    minuteNs: ns,
    requestCount,
    errorCount: 0,
    durationMs: durationMs + (waitsMs[i] ?? 0) * requestCount,
  }))
  return { requests, edges }
}

function judged(story: Story) {
  const { requests, edges } = minutesOf(story)
  return concurrencySaturations(requests, edges, atNs(AT_MS + 20_000))
}

const PINNED = [15.8, 16, 15.9, 16, 16]
const LONGER = [50, 200, 600, 1200, 2000]

describe('requests in work', () => {
  it('are at their ceiling where they stay below it while callers wait ever longer', () => {
    expect(judged({ heights: PINNED, waitsMs: LONGER })).toMatchObject([
      {
        type: 'concurrency',
        serviceName: 'shop',
        resource: 'requests',
        severity: 'critical',
        capacity: 16,
        utilization: 100,
        queueDepth: 20,
        onsetNs: atNs(AT_MS - 5 * MINUTE_MS),
      },
    ])
  })

  it.each([
    ['they grow themselves', { heights: [4, 8, 12, 16, 20], waitsMs: LONGER }],
    ['nobody waits', { heights: PINNED, waitsMs: [5, 5, 5, 5, 5] }],
    ['the way got longer once', { heights: PINNED, waitsMs: [5, 5, 400, 400, 400] }],
    ['they are but one', { heights: [1, 1, 1, 1, 1], waitsMs: LONGER }],
    ['they are few', { heights: PINNED, waitsMs: LONGER, requestCount: 20 }],
    ['no caller tells', { heights: PINNED, waitsMs: LONGER, caller: 'PRODUCER' as const }],
    ['it is not five minutes yet', { heights: PINNED.slice(1), waitsMs: LONGER.slice(1) }],
  ])('are not where %s', (_, story) => {
    expect(judged(story)).toEqual([])
  })

  it('are told among the other limits, unless threads are measured', () => {
    const { requests, edges } = minutesOf({ heights: PINNED, waitsMs: LONGER })
    const window = lastMinutes(5)
    const failures = { failures: failuresOf([], window), asked: window, window, requests }
    expect(pressureOf([], { failures, edges })).toMatchObject([{ type: 'concurrency', queueDepth: 20 }])
    const threads = { 'jvm.executor.name': 'http-worker', 'jvm.executor.thread.state': 'active' }
    const metrics = pointsOf(
      updown('jvm.executor.thread.count', 16, threads),
      updown('jvm.executor.thread.limit', 16, threads),
    )
    expect(pressureOf(metrics, { failures, edges })).toMatchObject([{ type: 'thread_pool' }])
  })
})
