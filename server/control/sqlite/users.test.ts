import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { AlreadyExists } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const ANN = { email: 'Ann@Example.com', name: 'Ann', password: 'ten letters', admin: false }

let control: ControlStoreWithAuthority

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
})
afterEach(() => control.close())

async function failTimes(times: number, email: string, atMs: number): Promise<void> {
  for (let i = 0; i < times; i++) await control.users.verifyPassword(email, 'a wrong guess', atMs)
}

it('knows a user by password, with the address in any letter case', async () => {
  const user = await control.users.create(ANN)
  expect(user).toMatchObject({ email: 'ann@example.com', name: 'Ann', admin: false })
  expect(await control.users.verifyPassword(' ANN@example.com', 'ten letters', NOW_MS)).toEqual(user)
  expect(await control.users.find(user.id)).toEqual(user)
  expect(await control.users.list()).toEqual([user])
})

it('does not know a wrong password, an unknown address, or nonsense', async () => {
  await control.users.create(ANN)
  expect(await control.users.verifyPassword(ANN.email, 'ten letterz', NOW_MS)).toBeUndefined()
  expect(await control.users.verifyPassword('bob@example.com', 'ten letters', NOW_MS)).toBeUndefined()
  expect(await control.users.verifyPassword('ann@example.com\0', 'ten letters', NOW_MS)).toBeUndefined()
  expect(await control.users.verifyPassword('x'.repeat(100_000), '', NOW_MS)).toBeUndefined()
})

it('refuses a short password, an address without @, and an address that is taken', async () => {
  await expect(control.users.create({ ...ANN, password: 'nine char' })).rejects.toThrow(RecordRefused)
  await expect(control.users.create({ ...ANN, email: 'ann' })).rejects.toThrow(RecordRefused)
  const { id } = await control.users.create(ANN)
  await expect(control.users.create({ ...ANN, email: 'ANN@EXAMPLE.COM' })).rejects.toThrow(AlreadyExists)
  await expect(control.users.setPassword(id, 'short')).rejects.toThrow(RecordRefused)
})

it('locks a user out for 15 minutes after 10 failures within 15 minutes', async () => {
  const user = await control.users.create(ANN)
  await failTimes(9, ANN.email, NOW_MS)
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS)).toEqual(user)
  await failTimes(10, ANN.email, NOW_MS)
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS)).toBeUndefined()
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS + 15 * MINUTE_MS - 1)).toBeUndefined()
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS + 15 * MINUTE_MS)).toEqual(user)
})

it('does not count failures that lie more than 15 minutes back', async () => {
  const user = await control.users.create(ANN)
  await failTimes(9, ANN.email, NOW_MS)
  await failTimes(1, ANN.email, NOW_MS + 16 * MINUTE_MS)
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS + 16 * MINUTE_MS)).toEqual(user)
})

it('counts failures over any 15 minutes, not from the first one on', async () => {
  await control.users.create(ANN)
  await failTimes(1, ANN.email, NOW_MS)
  await failTimes(9, ANN.email, NOW_MS + 14 * MINUTE_MS)
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS + 14 * MINUTE_MS)).toBeUndefined()
})

it('gives nothing for the right password among many guesses made at once', async () => {
  await control.users.create(ANN)
  const guesses = [...Array.from({ length: 12 }, () => 'a wrong guess'), ANN.password]
  const answers = await Promise.all(
    guesses.map((password) => control.users.verifyPassword(ANN.email, password, NOW_MS)),
  )
  expect(answers.every((user) => user === undefined)).toBe(true)
})

it('does not lock out one user for the failures of another', async () => {
  const user = await control.users.create(ANN)
  await failTimes(10, 'bob@example.com', NOW_MS)
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS)).toEqual(user)
})

it('takes a new password at once, which also ends a lockout', async () => {
  const user = await control.users.create(ANN)
  await failTimes(10, ANN.email, NOW_MS)
  expect(await control.users.setPassword(user.id, 'a new password')).toBe(true)
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS)).toBeUndefined()
  expect(await control.users.verifyPassword(ANN.email, 'a new password', NOW_MS)).toEqual(user)
  expect(await control.users.setPassword('nobody', 'a new password')).toBe(false)
})

it('takes the roles of a removed user along, by id and by address', async () => {
  const grid = await control.grids.create({ name: 'Shop' })
  const user = await control.users.create(ANN)
  await control.members.put({ gridId: grid.id, subject: user.id, role: 'Owner' })
  await control.members.put({ gridId: grid.id, subject: 'Ann@Example.com', role: 'Guest' })
  expect(await control.users.remove(user.id)).toBe(true)
  expect(await control.users.remove(user.id)).toBe(false)
  expect(await control.users.find(user.id)).toBeUndefined()
  expect(await control.users.verifyPassword(ANN.email, ANN.password, NOW_MS)).toBeUndefined()
  expect(await control.members.list(grid.id)).toEqual([])
})
