import { describe, expect, it } from 'vitest'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { symptomOf, times, voteFor } from '../testing/made-facts.ts'
import type { Place } from '../traces/place.ts'
import { findSuspects } from './find-suspects.ts'

const inside = (serviceName: string): Place => ({ at: 'inside', serviceName })
const call = (serviceName: string, targetName: string, targetIsService: boolean): Place => ({
  at: 'call',
  serviceName,
  targetName,
  targetIsService,
})
const way = (serviceName: string, targetName: string): Place => ({ at: 'network', serviceName, targetName })

const symptom = symptomOf('web')
const namesOf = (...votes: [Place, number][]) =>
  findSuspects(votes.flatMap(([place, count]) => times(count, () => voteFor({ place, symptom })))).map(
    ({ serviceName }) => serviceName,
  )

describe('suspected is', () => {
  it('the service in which trouble begins', () => {
    expect(namesOf([inside('cart'), 10])).toEqual(['cart'])
  })

  it('who calls something outside, and who is called and was not reached', () => {
    expect(namesOf([call('cart', 'redis/0', false), 10])).toEqual(['cart'])
    expect(namesOf([call('web', 'cart', true), 10])).toEqual(['cart'])
  })

  it('the end of slow ways that has most of them, else the callee', () => {
    expect(namesOf([way('web', 'cart'), 10])).toEqual(['cart'])
    expect(namesOf([way('cart', 'stock'), 10], [way('cart', 'ads'), 8], [way('web', 'stock'), 1])[0]).toBe('cart')
  })

  it('nobody whom only a few requests name', () => {
    expect(namesOf([inside('cart'), 20], [inside('stock'), 2])).toEqual(['cart'])
    expect(namesOf([inside('cart'), 50], [inside('stock'), 5])).toEqual(['cart'])
  })
})

it('trouble begins with the symptoms of the suspect itself, else of who suffers', () => {
  const own = symptomOf('cart', 'errors', 67)
  const votes = [symptom, own].flatMap((one) => times(10, () => voteFor({ place: inside('cart'), symptom: one })))
  expect(findSuspects(votes)[0]?.onsetNs).toBe(atNs(67 * 60_000))
  expect(findSuspects(votes.slice(0, 10))[0]?.onsetNs).toBe(atNs(65 * 60_000))
})

it('trouble of which requests fail does not begin with slowness that was there before', () => {
  const slow = symptomOf('cart', 'latency', 50)
  const failing = symptomOf('cart', 'errors', 66)
  const votes = [slow, failing].flatMap((one) => times(10, () => voteFor({ place: inside('cart'), symptom: one })))
  expect(findSuspects(votes)[0]?.onsetNs).toBe(atNs(66 * 60_000))
})
