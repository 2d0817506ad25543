import { describe, expect, it } from 'vitest'
import { windowMs } from '../../../storage/conformance/test-time.ts'
import { createMinuteAxis } from '../series/minute-axis.ts'
import { silences } from './silences.ts'

const axis = createMinuteAxis(windowMs(0, 3_600_000), windowMs(3_600_000, 4_500_000), undefined)

function service(requestsAt: (minute: number) => number) {
  const requests = Array.from({ length: axis.length }, (_, minute) => requestsAt(minute))
  const none = requests.map(() => 0)
  return { serviceName: 'mail', operationName: '', requests, errors: none, durationMs: none, content: none }
}

describe('a silence', () => {
  it('is a stretch without requests up to the end in which many were due', () => {
    expect(silences([service((minute) => (minute < 68 ? 5 : 0))], axis)).toEqual([
      { serviceName: 'mail', episode: { from: 68, to: 75 }, requestsPerMinute: 5 },
    ])
  })

  it('is not one where hardly any were due', () => {
    expect(silences([service((minute) => (minute < 73 ? 5 : 0))], axis)).toEqual([])
    expect(silences([service((minute) => (minute < 62 && minute % 2 === 0 ? 1 : 0))], axis)).toEqual([])
  })

  it('is not one for a service that pauses as long now and then', () => {
    expect(silences([service((minute) => (minute % 10 < 3 && minute < 68 ? 40 : 0))], axis)).toEqual([])
  })

  it('is not told of a service that fell silent before the window', () => {
    expect(silences([service((minute) => (minute < 30 ? 50 : 0))], axis)).toEqual([])
  })
})
