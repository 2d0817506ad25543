import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateIncident } from '../generated/generated-incidents.ts'
import { evaluate } from '../score/evaluate.ts'
import { openQuickPlayer } from './open-quick-player.ts'
import type { Player } from './player.ts'

let player: Player
beforeAll(async () => {
  player = await openQuickPlayer()
})
afterAll(() => player.close())

describe('an incident that is played in memory', () => {
  it('is diagnosed from what was sent, at its end and from its onset on', async () => {
    const incident = generateIncident(1, 'crash', { condition: 'low traffic' })
    const [played] = await player.play([incident])
    if (played === undefined) throw new Error('nothing was played')
    const result = await evaluate(played, true)
    expect(result.answers.map(({ windowMinutes, top1 }) => [windowMinutes, top1])).toEqual([
      [3, true],
      [10, true],
    ])
    expect(result.firstRightMs).toBeGreaterThan(0)
    const before = await played.ask(incident.label.onsetMs - 60_000, 3)
    expect(before.diagnoses).toEqual([])
  })

  it('has no diagnoses once it is forgotten', async () => {
    const incident = generateIncident(1, 'crash', { condition: 'low traffic' })
    const [played] = await player.play([incident])
    await played?.forget()
    expect((await played?.ask(incident.label.endMs, 3))?.diagnoses).toEqual([])
  })
})
