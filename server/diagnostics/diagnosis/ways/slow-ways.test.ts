import { describe, expect, it } from 'vitest'
import type { CallGaps } from '../../../storage/diagnostics-reader.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import { axis, TROUBLE } from '../testing/made-facts.ts'
import { slowWays } from './slow-ways.ts'

/** So many calls a minute, which lose so much in it, and each a little more than the one before. */
function wayOf(
  sourceName: string,
  targetName: string,
  calls: number,
  msOf: (minute: number, call: number) => number,
): CallGaps {
  const gaps = Array.from({ length: axis.length * calls }, (_, i) => ({
    minute: Math.floor(i / calls),
    call: i % calls,
  }))
  return {
    ...{ sourceName, targetName, traceId: 'the longest' },
    gapsNs: Float64Array.from(gaps, ({ minute, call }) => (msOf(minute, call) + call / 10) * 1e6),
    minutes: Uint32Array.from(gaps, ({ minute }) => minute),
  }
}

/** Four calls a minute, which lose so much before the trouble and during it. */
function way(sourceName: string, targetName: string, beforeMs: number, duringMs: number, calls = 4): CallGaps {
  return wayOf(sourceName, targetName, calls, (minute) => (minute >= TROUBLE.from ? duringMs : beforeMs))
}

function slow(gaps: CallGaps[], startNs = axis.startNs) {
  return slowWays({ startNs, gaps }, axis)
}

describe('a way is slow where', () => {
  it('most calls lose far more time than usual: the callee is at fault', () => {
    const [found, ...others] = slow([way('web', 'pay', 3, 200), way('web', 'mail', 3, 3)])
    expect(others).toEqual([])
    expect(found).toMatchObject({ sourceName: 'web', targetName: 'pay', serviceName: 'pay', episode: TROUBLE })
    expect(found).toMatchObject({ before: 260, during: 40, long: 40, traceId: 'the longest' })
    expect(found?.duringMs).toBeGreaterThan(199)
    expect(found?.beforeMs).toBeLessThan(4)
  })

  it('few calls tell, but all of them', () => {
    expect(slow([way('web', 'pay', 3, 500, 1)])).toHaveLength(1)
  })

  it('all that one service sends is slow: the caller is at fault', () => {
    const sent = [way('web', 'pay', 3, 200), way('web', 'mail', 3, 200)]
    const found = slow([...sent, way('app', 'mail', 3, 3), way('app', 'pay', 3, 3)])
    expect(found.map(({ serviceName }) => serviceName)).toEqual(['web', 'web'])
  })
})

it('a way is not slow where calls lose little more, or only some do', () => {
  expect(slow([way('web', 'pay', 3, 5)])).toEqual([])
  expect(slow([wayOf('web', 'pay', 4, (minute, call) => (minute >= TROUBLE.from && call === 3 ? 300 : 3))])).toEqual([])
})

it('what was lost before the axis or after it does not count', () => {
  const [early] = slow([way('web', 'pay', 3, 200)], axis.startNs - 5n * NS_PER_MINUTE)
  expect(early).toMatchObject({ episode: { from: 60, to: 70 }, before: 240, during: 40 })
  const [late] = slow([way('web', 'pay', 3, 200)], axis.startNs + 5n * NS_PER_MINUTE)
  expect(late).toMatchObject({ episode: { from: 70, to: 75 }, during: 20 })
  expect(slow([way('web', 'pay', 3, 200)], axis.startNs + 75n * NS_PER_MINUTE)).toEqual([])
  expect(slow([way('web', 'pay', 3, 200)], axis.startNs - 75n * NS_PER_MINUTE)).toEqual([])
})
