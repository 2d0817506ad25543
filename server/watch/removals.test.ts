import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { type Removals, watchRemovals } from './removals.ts'

let control: ControlStore
let removals: Removals
let dropped: string[]
let reported: unknown[]
let fails: boolean

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  dropped = []
  reported = []
  fails = false
})
afterEach(async () => {
  removals.stop()
  await control.close()
})

function watch(): void {
  removals = watchRemovals({
    control,
    store: {
      dropGrid: async (id) => {
        if (fails) throw new Error('no room')
        dropped.push(id)
      },
    },
    report: (error) => reported.push(error),
  })
}

async function removedGrid(): Promise<string> {
  const { id } = await control.grids.create({ name: 'doomed' })
  await control.grids.remove(id, 0)
  return id
}

it('removes the telemetry of a removed Grid once', async () => {
  watch()
  await control.grids.create({ name: 'kept' })
  const id = await removedGrid()
  await removals.finish()
  await removals.finish()
  expect(dropped).toEqual([id])
})

it('finishes what an earlier process began', async () => {
  const id = await removedGrid()
  watch()
  await removals.finish()
  expect(dropped).toEqual([id])
  expect(await control.grids.removed()).toEqual([{ id, isTelemetryRemoved: true }])
})

it('tries again what failed', async () => {
  watch()
  const id = await removedGrid()
  fails = true
  await removals.finish()
  expect([dropped, reported]).toEqual([[], [new Error('no room')]])
  fails = false
  await removals.finish()
  expect(dropped).toEqual([id])
})
