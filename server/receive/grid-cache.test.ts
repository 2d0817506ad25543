import { expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { createGridCache } from './grid-cache.ts'

function countingControl(find: ControlStore['grids']['find']) {
  return { grids: { find, isRemoved: () => false } }
}

it('asks once for what is asked again within a second', async () => {
  let nowMs = 0
  let lookups = 0
  const find = createGridCache(
    countingControl(async () => {
      lookups++
      return undefined
    }),
    () => nowMs,
  )
  await Promise.all([find('a'), find('a')])
  nowMs = 999
  await find('a')
  expect(lookups).toBe(1)
  nowMs = 1_000
  await find('a')
  expect(lookups).toBe(2)
})

it('does not keep a failed look-up', async () => {
  let fails = true
  const find = createGridCache(
    countingControl(async () => {
      if (fails) throw new Error('the disk is gone')
      return undefined
    }),
    () => 0,
  )
  await expect(find('a')).rejects.toThrow('the disk is gone')
  fails = false
  await expect(find('a')).resolves.toBeUndefined()
})
