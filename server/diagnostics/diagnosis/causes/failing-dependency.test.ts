import { expect, it } from 'vitest'
import { findSuspects } from '../suspects/find-suspects.ts'
import { edgeOf, NO_DETAILS, overviewOf, symptomOf, times, voteFor } from '../testing/made-facts.ts'
import { failingDependency } from './failing-dependency.ts'
import { inquiryInto } from './inquiry.ts'

const symptom = symptomOf('checkout', 'latency')
const place = { at: 'call', serviceName: 'checkout', targetName: 'cards', targetIsService: false } as const
const failed = times(5, () => voteFor({ place, symptom }))
const late = times(20, () => voteFor({ place, symptom, by: 'time', addedMs: 200 }))

function causeWith(errors: [number, number]): string | undefined {
  const [suspect] = findSuspects([...failed, ...late])
  if (!suspect) throw new Error('A suspect is expected.')
  const overview = overviewOf({ edges: [edgeOf('checkout', 'cards', { errors }, false)] })
  return failingDependency(inquiryInto(suspect, overview, NO_DETAILS))?.cause
}

it('is what requests wait for that call again until they succeed', () => {
  expect(causeWith([0, 20])).toBe('failingDependency')
})

it('is not what is late without failing more than it did', () => {
  expect(causeWith([3, 4])).toBeUndefined()
})
