import { expect, it } from 'vitest'
import { inquiryInto } from '../causes/inquiry.ts'
import { findSuspects } from '../suspects/find-suspects.ts'
import { edgeOf, NO_DETAILS, overviewOf, symptomOf, times, voteFor } from '../testing/made-facts.ts'
import { mainCaller } from './main-caller.ts'

const symptom = symptomOf('search', 'latency')
const place = { at: 'call', serviceName: 'search', targetName: 'cards', targetIsService: false } as const
const [suspect] = findSuspects(times(10, () => voteFor({ place, symptom, by: 'time', addedMs: 900 })))

function mainOf(...edges: ReturnType<typeof edgeOf>[]): string {
  if (!suspect) throw new Error('A suspect is expected.')
  return mainCaller(inquiryInto(suspect, overviewOf({ edges }), NO_DETAILS), 'cards')
}

const slow = (name: string, requests: number) => edgeOf(name, 'cards', { requests, ms: [100, 900] }, false)

it('is who loses far more time to the same thing', () => {
  expect(mainOf(slow('search', 6), slow('payments', 60))).toBe('payments')
  expect(mainOf(slow('search', 60), slow('payments', 60))).toBe('search')
})

it('is who has far more failed calls', () => {
  const failing = (name: string, errors: number) => edgeOf(name, 'cards', { errors: [0, errors] }, false)
  expect(mainOf(failing('search', 2), failing('payments', 20))).toBe('payments')
})

it('is the suspect where nobody suffers more, and where nothing is known', () => {
  expect(mainOf(slow('search', 6), edgeOf('payments', 'cards', { requests: 600 }, false))).toBe('search')
  expect(mainOf()).toBe('search')
})
