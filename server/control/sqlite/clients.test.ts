import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { AlreadyExists } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { hashOfSecret } from '../secrets.ts'
import { openSqliteControlStore } from './open-control-store.ts'

let control: ControlStoreWithAuthority

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
})
afterEach(() => control.close())

it('registers a machine with a secret that is seen once', async () => {
  const { client, secret } = await control.clients.create({ name: 'deployer', admin: true })
  expect(secret).toMatch(/^flc_[A-Za-z0-9_-]{43}$/)
  expect(client).toMatchObject({ name: 'deployer', admin: true })
  expect(await control.clients.find(client.id)).toEqual(client)
  expect(await control.clients.list()).toEqual([client])
  expect(await control.authority.clientSecretHash(client.id)).toBe(hashOfSecret(secret))
})

it('takes an id and a secret that were chosen', async () => {
  const chosen = { id: 'ci.runner-1', name: 'CI', admin: false, secret: 'sixteen-letters!' }
  expect(await control.clients.create(chosen)).toMatchObject({ client: { id: 'ci.runner-1' }, secret: chosen.secret })
  await expect(control.clients.create(chosen)).rejects.toThrow(AlreadyExists)
})

it.each(['', 'ann@example.com', 'two words', 'x'.repeat(201)])('refuses the id "%s"', async (id) => {
  await expect(control.clients.create({ id, name: 'CI', admin: false })).rejects.toThrow(RecordRefused)
})

it('takes the roles of a removed client along, so that its id may be used again', async () => {
  const grid = await control.grids.create({ name: 'Shop' })
  await control.clients.create({ id: 'ci', name: 'CI', admin: false })
  await control.members.put({ gridId: grid.id, subject: 'ci', role: 'Owner' })
  expect(await control.clients.remove('ci')).toBe(true)
  expect(await control.clients.remove('ci')).toBe(false)
  expect(await control.authority.clientSecretHash('ci')).toBeUndefined()
  await control.clients.create({ id: 'ci', name: 'CI', admin: false })
  expect(await control.members.roleOf(grid.id, ['ci'])).toBeUndefined()
})
