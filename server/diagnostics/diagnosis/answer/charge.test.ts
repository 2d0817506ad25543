import { describe, expect, it } from 'vitest'
import { spanOf } from '../../../storage/conformance/span-builder.ts'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { callGraph } from '../call-graph.ts'
import { NO_SIGNS, type Overview } from '../facts.ts'
import { findSuspects } from '../suspects/find-suspects.ts'
import type { CastVote } from '../suspects/suspect.ts'
import {
  edgeOf,
  NO_DETAILS,
  overviewOf,
  reportOf,
  serviceOf,
  symptomOf,
  times,
  voteFor,
} from '../testing/made-facts.ts'
import type { Failure } from '../traces/failure.ts'
import { WholeSpans } from '../traces/whole-spans.ts'
import { affectedServices, symptomsOf } from './affected-services.ts'
import { chargesOf } from './charge.ts'
import { scoreOf } from './score.ts'
import { severityOf } from './severity.ts'

const CARDS = 'api.cards.example'
const REJECTED: Failure = { class: 'rejected', type: 'RejectedExecution', message: '', isException: true }
const THROWN: Failure = { class: 'other', type: 'NullPointerException', message: '', isException: true }

const slowAt = (serviceName: string, onsetMinute?: number) => {
  const symptom = symptomOf(serviceName, 'latency', onsetMinute)
  const failing = { place: { at: 'inside', serviceName } as const, symptom, by: 'error' as const, failure: REJECTED }
  return times(10, () => voteFor(failing))
}
const waitingFor = (serviceName: string, targetName: string) => {
  const place = { at: 'call', serviceName, targetName, targetIsService: false } as const
  const symptom = symptomOf(serviceName, 'latency')
  return times(12, () => voteFor({ place, symptom, by: 'time', addedMs: 900 }))
}

const shop = overviewOf({
  services: ['web', 'checkout', 'payments', 'search'].map((name) => serviceOf(name)),
  edges: [
    edgeOf('web', 'checkout'),
    edgeOf('checkout', 'payments'),
    edgeOf('web', 'search'),
    edgeOf('payments', CARDS, { ms: [100, 900] }, false),
    edgeOf('search', CARDS, { ms: [100, 900] }, false),
    edgeOf('payments', 'ledger', { ms: [100, 900] }, false),
  ],
})
const graph = callGraph(shop.edges)

function charge(votes: CastVote[], overview: Overview = shop, details = NO_DETAILS) {
  return chargesOf(findSuspects(votes), overview, details, graph)
}

describe('one charge is made for each cause', () => {
  it('whose callers run out of workers because they wait', () => {
    const charges = charge([...waitingFor('payments', CARDS), ...slowAt('checkout', 66)])
    expect(charges.map(({ explanation }) => explanation.cause)).toEqual(['slowDependency'])
    expect(charges[0]?.followers.map(({ serviceName }) => serviceName)).toEqual(['checkout'])
  })

  it('but not for one in whose callers it began much earlier, or who do not call it', () => {
    expect(charge([...waitingFor('payments', CARDS), ...slowAt('checkout', 60)])).toHaveLength(2)
    expect(charge([...waitingFor('payments', CARDS), ...slowAt('search')])).toHaveLength(2)
  })

  it('that several services meet outside', () => {
    const charges = charge([...waitingFor('payments', CARDS), ...waitingFor('search', CARDS)])
    expect(charges).toHaveLength(1)
  })

  it('but two for two that have nothing to do with each other', () => {
    const symptom = symptomOf('checkout')
    const place = { at: 'inside', serviceName: 'checkout' } as const
    const thrown = times(10, () => voteFor({ place, symptom, failure: THROWN }))
    expect(charge([...waitingFor('payments', CARDS), ...thrown]).map(({ explanation }) => explanation.cause)).toEqual([
      'slowDependency',
      'exception',
    ])
  })
})

describe('a service that waits for one that sends nothing', () => {
  const waiting = waitingFor('payments', 'ledger')

  it('may wait for another one that is ill for as long', () => {
    const [only, ...others] = charge([...waiting, ...slowAt('search', 65)])
    expect(only?.inquiry.suspect.serviceName).toBe('search')
    expect(only?.followers.map(({ serviceName }) => serviceName)).toEqual(['payments'])
    expect(others).toEqual([])
  })

  it('is charged by itself where the other one fell ill later, or calls it', () => {
    expect(charge([...waiting, ...slowAt('search', 68)])).toHaveLength(2)
    const namesOf = (votes: CastVote[]) => charge(votes).map(({ inquiry }) => inquiry.suspect.serviceName)
    expect(namesOf([...waiting, ...slowAt('checkout', 65)])).toEqual(['payments'])
  })

  it('waits for a database in vain, which waits for nobody', () => {
    const origins = new WholeSpans([spanOf({ attributes: { 'db.system': 'ledger' } })])
    expect(charge([...waiting, ...slowAt('search', 65)], shop, { ...NO_DETAILS, origins })).toHaveLength(2)
  })
})

describe('of whom others speak badly', () => {
  const symptom = symptomOf('checkout')
  const place = { at: 'inside', serviceName: 'checkout' } as const
  const failing = times(10, () => voteFor({ place, symptom, failure: THROWN }))
  const mention = { serviceName: 'payments', dependencyName: undefined }
  const signs = { ...NO_SIGNS, habits: [reportOf('checkout', { mention, examples: ['payments: no answer'] })] }
  const suspects = findSuspects(failing, [], signs)
  const namesIn = (overview: Overview) =>
    chargesOf(suspects, overview, NO_DETAILS, graph).map(({ inquiry }) => inquiry.suspect.serviceName)

  it('is charged', () => {
    expect(namesIn(shop)).toContain('payments')
  })

  it('is not where who speaks has been changed itself', () => {
    const change = { atNs: atNs(65 * 60_000), type: 'configuration', serviceName: 'checkout', description: 'timeout' }
    expect(namesIn({ ...shop, changes: [change] })).toEqual(['checkout'])
  })
})

describe('what a charge says', () => {
  const symptoms = [symptomOf('payments', 'latency'), symptomOf('web'), symptomOf('checkout'), symptomOf('search')]
  for (const symptom of symptoms.slice(1)) symptom.isLookedAt = false
  const [only] = charge(waitingFor('payments', CARDS))
  if (!only) throw new Error('A charge is expected.')
  const accounted = symptomsOf(only, symptoms, graph)
  const affected = affectedServices(only, accounted, graph)

  it('names the service at fault, then the callers that suffer, nearest first, and nobody else', () => {
    expect(affected).toEqual(['payments', 'checkout', 'web'])
  })

  it('is critical where users see errors, or where they come in all is unhealthy', () => {
    const impact = { affected, symptoms: accounted, episode: only.inquiry.episode, services: shop.services }
    expect(severityOf(impact, graph)).toBe('critical')
    const unseen = accounted.filter(({ serviceName }) => serviceName !== 'web')
    expect(severityOf({ ...impact, symptoms: unseen }, graph)).toBe('warning')
    const frustrated = { ...serviceOf('web'), content: serviceOf('web').requests.map(() => 0) }
    expect(severityOf({ ...impact, symptoms: unseen, services: [frustrated] }, graph)).toBe('critical')
  })

  it('is the surer the more requests say so', () => {
    const [fewer] = charge(waitingFor('payments', CARDS).slice(0, 4))
    if (!fewer) throw new Error('A charge is expected.')
    expect(scoreOf(only)).toBeGreaterThan(scoreOf(fewer))
    expect(scoreOf(only)).toBeLessThanOrEqual(1)
  })
})
