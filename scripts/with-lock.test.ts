import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'

const { withLock } = createRequire(import.meta.url)('./with-lock.cjs')
const TIMES = { beatMs: 20, pollMs: 10, deadAfterMs: 400 }

let folder: string
let lock: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-lock-'))
  lock = join(folder, 'inner', 'lock')
})

afterEach(() => rmSync(folder, { recursive: true }))

test('only one works at a time, however long it takes, and every one gets its turn', async () => {
  let working = 0
  let waited = 0
  const turns = [1, 2, 3].map((turn) =>
    withLock(
      lock,
      () => waited++,
      async () => {
        expect(++working).toBe(1)
        await sleep(2 * TIMES.deadAfterMs)
        working--
        return turn
      },
      TIMES,
    ),
  )
  expect(await Promise.all(turns)).toEqual([1, 2, 3])
  expect(waited).toBe(2)
})

test('the lock is given back when the work fails', async () => {
  const failing = () => Promise.reject(new Error('no'))
  await expect(withLock(lock, () => {}, failing, TIMES)).rejects.toThrow('no')
  expect(existsSync(lock)).toBe(false)
})

test('the lock of a process that is gone is taken over', async () => {
  const leftBehind = join(folder, 'left-behind')
  writeFileSync(leftBehind, '')
  expect(
    await withLock(
      leftBehind,
      () => {},
      async () => 'done',
      TIMES,
    ),
  ).toBe('done')
})
