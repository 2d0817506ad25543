import { afterEach, beforeEach, expect, test } from 'vitest'
import { crashRounds } from '../bench/crash/crash-rounds.ts'
import { MeasuredServer } from '../bench/server/measured-server.ts'

let server: MeasuredServer

beforeEach(async () => {
  server = await MeasuredServer.create()
})
afterEach(() => server.remove())

test('every span that a killed server had acknowledged is there once after its restart', {
  timeout: 180_000,
}, async () => {
  const options = { rounds: 2, spansPerSecond: 2_000, spansPerBatch: 64, seed: 4, aliveMs: { min: 300, max: 900 } }
  const { rounds, load, comparison } = await crashRounds(server, options)
  expect(rounds.map(({ unansweredSpans }) => unansweredSpans)).toEqual([0, 0])
  expect(load.unexpectedAnswers).toEqual([])
  expect(comparison.acknowledged).toBeGreaterThan(0)
  expect(comparison).toMatchObject({ missing: 0, repeated: 0, unacknowledged: 0 })
})
