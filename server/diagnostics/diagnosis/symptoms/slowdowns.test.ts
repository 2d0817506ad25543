import { expect, it } from 'vitest'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { createMinuteAxis, type MinuteAxis } from '../series/minute-axis.ts'
import { slowdowns } from './slowdowns.ts'

const MINUTE_MS = 60_000
const BEFORE = Array.from({ length: 30 }, () => ({ requests: 600, meanMs: 17 }))

/** Minutes of one operation; it is so many milliseconds into the last of them. */
function slowIn(minutes: { requests: number; meanMs: number }[], intoLastMs: number) {
  const endNs = atNs((minutes.length - 1) * MINUTE_MS + intoLastMs)
  const startNs = atNs((minutes.length - 10) * MINUTE_MS)
  const axis: MinuteAxis = createMinuteAxis({ startNs: atNs(0), endNs: startNs }, { startNs, endNs }, atNs(0))
  const series = {
    ...{ serviceName: 'shop', operationName: 'buy', content: minutes.map(() => 0), errors: minutes.map(() => 0) },
    requests: minutes.map(({ requests }) => requests),
    durationMs: minutes.map(({ requests, meanMs }) => requests * meanMs),
  }
  return slowdowns({ of: 'operation', series }, axis, 100).map(({ episode }) => episode)
}

it('an operation is slow from the minute on in which its requests take longer', () => {
  const slow = { requests: 600, meanMs: 43 }
  expect(slowIn([...BEFORE, slow, slow], MINUTE_MS)).toEqual([{ from: 30, to: 32 }])
  expect(slowIn([...BEFORE, { requests: 200, meanMs: 43 }], MINUTE_MS / 3)).toEqual([{ from: 30, to: 31 }])
})

it('a minute that has hardly begun is not judged by its few requests', () => {
  expect(slowIn([...BEFORE, { requests: 8, meanMs: 43 }], 1600)).toEqual([])
})
