import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import type { DiskBudgets, Retention, RoomMade } from '../storage/telemetry-store.ts'
import { enforceRetention } from './retention.ts'

const NOW_MS = Date.UTC(2026, 0, 15)
const DAY_MS = 86_400_000

let control: ControlStore
let retentions: Retention[]
let budgets: DiskBudgets[]
let made: RoomMade[]
let logged: object[]

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  retentions = []
  budgets = []
  made = []
  logged = []
})
afterEach(() => control.close())

async function enforce(): Promise<void> {
  await enforceRetention({
    control,
    store: {
      expire: async (given) => void retentions.push(...given),
      fitInto: async (given) => {
        budgets.push(given)
        return made
      },
    },
    budgetBytes: 1_000_000,
    clock: () => NOW_MS,
    log: (fields) => logged.push(fields),
  })
}

it('asks the store to keep of each Grid what its age and its share of the disk allow', async () => {
  const limited = await control.grids.create({ name: 'limited' })
  const free = await control.grids.create({ name: 'free' })
  await control.grids.update(limited.id, { rawRetentionDays: 2, diskSharePercent: 12.5 })
  await enforce()
  expect(retentions.map(({ gridId }) => gridId).sort()).toEqual([limited.id, free.id].sort())
  const ages = new Map(retentions.map(({ gridId, oldestNs }) => [gridId, NOW_MS - Number(oldestNs / 1_000_000n)]))
  expect([ages.get(limited.id), ages.get(free.id)]).toEqual([2 * DAY_MS, 7 * DAY_MS])
  expect(budgets).toEqual([{ grids: [{ gridId: limited.id, maxBytes: 125_000 }], maxBytes: 1_000_000 }])
  expect(logged).toEqual([])
})

it('logs what had to go, and remembers from when on records are kept', async () => {
  const { id } = await control.grids.create({ name: 'shop' })
  const removed = (recordsFromMs: number | undefined): RoomMade => ({
    gridId: id,
    hoursOfRecords: 1,
    hoursOfSums: 0,
    freedBytes: 5,
    recordsFromNs: recordsFromMs === undefined ? undefined : BigInt(recordsFromMs) * 1_000_000n,
  })
  for (const [told, kept] of [
    [NOW_MS - 5, NOW_MS - 5],
    [NOW_MS - 9, NOW_MS - 5],
    [undefined, NOW_MS - 5],
  ] as const) {
    made = [removed(told)]
    await enforce()
    expect((await control.grids.find(id))?.recordsFromMs).toBe(kept)
  }
  const fields = { gridId: id, hoursOfRecords: 1, hoursOfSums: 0, freedBytes: 5 }
  expect(logged).toEqual([
    { ...fields, recordsFrom: '2026-01-14T23:59:59.995Z' },
    { ...fields, recordsFrom: '2026-01-14T23:59:59.991Z' },
    fields,
  ])
})
