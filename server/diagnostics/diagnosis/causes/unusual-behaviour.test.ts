import { describe, expect, it } from 'vitest'
import { calibrated } from '../answer/calibration.ts'
import { NO_SIGNS } from '../facts.ts'
import { findSuspects } from '../suspects/find-suspects.ts'
import type { Suspect } from '../suspects/suspect.ts'
import { NO_DETAILS, overviewOf, reportOf, symptomOf, times, voteFor } from '../testing/made-facts.ts'
import { inquiryInto } from './inquiry.ts'
import { unusualBehaviour } from './unusual-behaviour.ts'

function slowBy(addedMs: number): Suspect[] {
  const place = { at: 'inside', serviceName: 'payments' } as const
  const symptom = symptomOf('payments', 'latency')
  return findSuspects(times(10, () => voteFor({ place, symptom, by: 'time', addedMs })))
}

function toldOf(suspects: Suspect[]) {
  const [suspect] = suspects
  if (suspect === undefined) throw new Error('A suspect is expected.')
  return unusualBehaviour(inquiryInto(suspect, overviewOf({}), NO_DETAILS))
}

describe('a suspect that no cause explains', () => {
  it('is named with what is seen of it, and with doubt', () => {
    const told = toldOf(slowBy(80))
    expect(told?.evidence.join()).toContain(
      '10 of 10 bad requests looked at spent most of their added time in payments',
    )
    expect(calibrated(told?.strength ?? 1)).toBeLessThan(0.5)
  })

  it('is named by the operation that does no longer what it did', () => {
    const told = toldOf(findSuspects([], [], { ...NO_SIGNS, habits: [reportOf('payments')] }))
    expect(told?.detail).toBe('GET /')
  })

  it('is not where nobody feels it', () => {
    expect(toldOf(slowBy(2))).toBeUndefined()
  })
})
