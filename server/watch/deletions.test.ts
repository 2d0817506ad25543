import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import type { RecordMatch } from '../domain/record-match.ts'
import { createHasher } from '../privacy/mask.ts'
import { watchDeletions } from './deletions.ts'

let control: ControlStore
let gridId: string
let nowMs = 0
let failure: Error | undefined
const asked: { hour: number; match: RecordMatch }[] = []
const reported: unknown[] = []
let stop: () => Promise<void>

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'test' })).id
  asked.length = 0
  reported.length = 0
  const telemetry = {
    settledHours: async () => [7, 8],
    deleteRecords: async (_: string, hour: number, match: RecordMatch) => {
      if (failure) throw failure
      asked.push({ hour, match })
      return { spans: 1, logRecords: 2, metricPoints: 0 }
    },
  }
  stop = watchDeletions({ telemetry, control, clock: () => nowMs, report: (error) => reported.push(error) })
})
afterEach(async () => {
  await stop()
  await control.close()
})

const wish = { attribute: 'user.id', value: 'ann', signals: ['logs' as const], requestedBy: 'test' }

it('goes through the hours, one wish after another, and looks for hashes too where the Grid ever had rules', async () => {
  await control.deletions.create(gridId, wish, 0)
  const rule = { name: 'r', key: 'a', pattern: null, preset: null, places: [], action: 'hash' as const, enabled: true }
  await control.privacy.create(gridId, rule)
  const { hashSecret } = await control.privacy.policy(gridId)
  await control.deletions.create(gridId, { ...wish, value: 'bob' }, 0)
  await expect.poll(() => control.deletions.next(), { timeout: 10_000 }).toBeUndefined()
  const hash = createHasher(hashSecret)
  const match = (value: string) => ({ attribute: 'user.id', values: [value, hash(value)], signals: ['logs'] })
  expect(asked).toEqual([
    { hour: 7, match: match('ann') },
    { hour: 8, match: match('ann') },
    { hour: 7, match: match('bob') },
    { hour: 8, match: match('bob') },
  ])
  const { items } = await control.deletions.list(gridId, { offset: 0, limit: 10 })
  expect(items).toMatchObject([
    { state: 'finished', hoursDone: 2, hoursTotal: 2, spans: 2, logRecords: 4 },
    { state: 'finished', hoursDone: 2, hoursTotal: 2, spans: 2, logRecords: 4 },
  ])
})

it('says why it cannot go on, and tries again after a while', async () => {
  failure = new Error('the disk is full')
  const { id } = await control.deletions.create(gridId, wish, 0)
  const current = () => control.deletions.find(gridId, id)
  await expect.poll(current, { timeout: 10_000 }).toMatchObject({ state: 'running', error: 'the disk is full' })
  expect(reported).toEqual([failure])
  failure = undefined
  nowMs += 30_000
  await expect.poll(current, { timeout: 10_000 }).toMatchObject({ state: 'finished', error: '', spans: 2 })
})
