import { describe, expect, it } from 'vitest'
import type { Label } from '../incidents/incident.ts'
import type { GivenDiagnosis } from '../play/player.ts'
import { judge } from './judge.ts'

const slowDatabase: Label = {
  id: 'x',
  system: 'plain',
  kind: 'dependency-slow',
  faults: [
    {
      serviceNames: ['checkout', 'billing'],
      causes: ['slowDependency'],
      culprit: { what: 'dependency', names: ['orders', 'orders-pg.internal'] },
    },
  ],
  onsetMs: 1000,
  endMs: 9000,
  isGradual: false,
}
const quiet: Label = { ...slowDatabase, kind: 'noise', faults: [] }

const given = (cause: string, service: string, confidence = 0.8): GivenDiagnosis => ({
  cause,
  confidence,
  affectedServices: [service, 'web'],
  evidence: [],
  firstDetectedMs: 4000,
})

describe('an answer', () => {
  it('is right in all where service, kind and culprit are', () => {
    const answer = [given('Slow dependency in billing (postgresql/orders)', 'billing')]
    expect(judge(slowDatabase, answer)).toEqual({
      top1: true,
      top3: true,
      kind: true,
      culprit: true,
      onsetOffMs: 3000,
      allFaults: undefined,
      isAccusation: true,
    })
  })

  it('names the service only where it blames it, not where it is merely affected', () => {
    const answer = [{ ...given('Exception in web', 'web'), affectedServices: ['web', 'checkout'] }]
    expect(judge(slowDatabase, answer)).toMatchObject({ top1: false, top3: false, onsetOffMs: undefined })
  })

  it('is of the wrong kind where its phrase is another one', () => {
    const answer = [given('Slow code in checkout (orders)', 'checkout')]
    expect(judge(slowDatabase, answer)).toMatchObject({ top1: true, kind: false, culprit: true })
  })

  it('does not name a culprit by a part of another name', () => {
    const answer = [given('Slow dependency in checkout (postgresql/preorders2)', 'checkout')]
    expect(judge(slowDatabase, answer).culprit).toBe(false)
  })

  it('is among the first three, but no further', () => {
    const wrong = given('Exception in web', 'web')
    const right = given('Slow dependency in checkout (orders)', 'checkout')
    expect(judge(slowDatabase, [wrong, wrong, right])).toMatchObject({ top1: false, top3: true, kind: false })
    expect(judge(slowDatabase, [wrong, wrong, wrong, right]).top3).toBe(false)
  })

  it('accuses from a confidence of 0.5 on', () => {
    expect(judge(quiet, [given('Exception in web', 'web', 0.49)])).toMatchObject({ isAccusation: false, top1: false })
    expect(judge(quiet, [given('Exception in web', 'web', 0.5)]).isAccusation).toBe(true)
    expect(judge(quiet, []).isAccusation).toBe(false)
  })

  it('tells of all faults only with a diagnosis for each', () => {
    const [fault] = slowDatabase.faults
    const both: Label = { ...slowDatabase, faults: [...(fault ? [fault] : []), { serviceNames: ['web'], causes: [] }] }
    const one = given('Slow dependency in checkout (orders)', 'checkout')
    expect(judge(both, [one])).toMatchObject({ top1: true, allFaults: false })
    expect(judge(both, [one, given('Exception in web', 'web')]).allFaults).toBe(true)
  })

  it('need not name the culprit of another fault than the one it names', () => {
    const [fault] = slowDatabase.faults
    const both: Label = { ...slowDatabase, faults: [...(fault ? [fault] : []), { serviceNames: ['web'], causes: [] }] }
    expect(judge(both, [given('Exception in web', 'web')]).culprit).toBeUndefined()
    expect(judge(both, [given('Slow dependency in checkout', 'checkout')]).culprit).toBe(false)
    expect(judge(both, []).culprit).toBe(false)
  })
})
