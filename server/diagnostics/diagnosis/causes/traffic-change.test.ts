import { describe, expect, it } from 'vitest'
import { windowMs } from '../../../storage/conformance/test-time.ts'
import { createMinuteAxis } from '../series/minute-axis.ts'
import { trafficChange } from './traffic-change.ts'

const axis = createMinuteAxis(windowMs(0, 3_600_000), windowMs(3_600_000, 4_500_000), undefined)
const calm = Array.from({ length: 60 }, (_, minute) => minute)
const episode = { from: 65, to: 75 }

function change(requestsAt: (minute: number) => number) {
  const requests = Array.from({ length: axis.length }, (_, minute) => requestsAt(minute))
  return trafficChange({ requests, errors: [], durationMs: [] }, axis, episode, calm)
}

describe('a change of traffic', () => {
  it('is beyond chance where many more come than ever did', () => {
    expect(change((minute) => (minute >= 65 ? 60 : 20 + (minute % 3)))).toMatchObject({
      before: 21,
      during: 60,
      isBeyondChance: true,
    })
  })

  it('is beyond chance where few came and several times as many come', () => {
    expect(change((minute) => (minute >= 65 ? 9 : minute % 4)).isBeyondChance).toBe(true)
  })

  it('is within chance where counts are small', () => {
    expect(change((minute) => (minute >= 65 ? 2 : 1)).isBeyondChance).toBe(false)
  })

  it('is nothing new where rates always vary as much', () => {
    expect(change((minute) => (minute >= 65 ? 200 : minute % 5 === 0 ? 300 : 60)).isBeyondChance).toBe(false)
  })
})
