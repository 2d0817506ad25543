import { describe, expect, it } from 'vitest'
import { atNs } from '../../../storage/conformance/test-time.ts'
import type { CallGaps } from '../../../storage/diagnostics-reader.ts'
import { axis, TROUBLE } from '../testing/made-facts.ts'
import { slowWays } from './slow-ways.ts'

/** Four calls a minute, which lose so much before the trouble and during it. */
function way(sourceName: string, targetName: string, beforeMs: number, duringMs: number, calls = 4): CallGaps[] {
  return Array.from({ length: axis.length }, (_, minute) => {
    const ms = minute >= TROUBLE.from ? duringMs : beforeMs
    return {
      ...{ sourceName, targetName, callCount: calls, traceId: `${minute}` },
      minuteNs: atNs(minute * 60_000),
      gapsNs: Array.from({ length: calls }, (_, i) => (ms + i / 10) * 1e6),
    }
  })
}

describe('a way is slow where', () => {
  it('most calls lose far more time than usual: the callee is at fault', () => {
    const [slow, ...others] = slowWays([...way('web', 'pay', 3, 200), ...way('web', 'mail', 3, 3)], axis)
    expect(others).toEqual([])
    expect(slow).toMatchObject({ sourceName: 'web', targetName: 'pay', serviceName: 'pay', episode: TROUBLE })
    expect(slow?.duringMs).toBeGreaterThan(199)
    expect(slow?.beforeMs).toBeLessThan(4)
  })

  it('few calls tell, but all of them', () => {
    expect(slowWays(way('web', 'pay', 3, 500, 1), axis)).toHaveLength(1)
  })

  it('all that one service sends is slow: the caller is at fault', () => {
    const rows = [...way('web', 'pay', 3, 200), ...way('web', 'mail', 3, 200), ...way('app', 'mail', 3, 3)]
    const found = slowWays([...rows, ...way('app', 'pay', 3, 3)], axis)
    expect(found.map(({ serviceName }) => serviceName)).toEqual(['web', 'web'])
  })
})

it('a way is not slow where calls lose little more, or only some do', () => {
  expect(slowWays(way('web', 'pay', 3, 5), axis)).toEqual([])
  const some = way('web', 'pay', 3, 3).map((row) => ({ ...row, gapsNs: [...row.gapsNs.slice(1), 300e6] }))
  expect(slowWays([...way('web', 'pay', 3, 3).slice(0, TROUBLE.from), ...some.slice(TROUBLE.from)], axis)).toEqual([])
})
