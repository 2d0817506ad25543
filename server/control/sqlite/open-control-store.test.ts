import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { StoreUnusable } from '../../domain/store-errors.ts'
import { KNOWN_MIGRATIONS } from '../migrations/known-migrations.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'control-'))
  path = join(folder, 'control.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function allBytes(): Promise<Buffer> {
  const names = await readdir(folder)
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))))
}

it('keeps everything over a restart, a lockout too', async () => {
  const first = await openSqliteControlStore(path)
  const grid = await first.grids.create({ name: 'Shop' })
  const { key, secret } = await first.keys.create({
    gridId: grid.id,
    name: 'ci',
    role: 'Owner',
    scopes: ['read'],
    expiresAtMs: null,
  })
  const user = await first.users.create({ email: 'a@b.c', name: 'A', password: 'ten letters', admin: true })
  for (let i = 0; i < 10; i++) await first.users.verifyPassword('a@b.c', 'a wrong guess', NOW_MS)
  const member = await first.members.put({ gridId: grid.id, subject: user.id, role: 'User' })
  await first.close()

  const second = await openSqliteControlStore(path)
  expect(await second.grids.list()).toEqual([grid])
  expect(await second.keys.findBySecret(secret, NOW_MS)).toEqual(key)
  expect(await second.members.list(grid.id)).toEqual([member])
  expect(await second.users.verifyPassword('a@b.c', 'ten letters', NOW_MS)).toBeUndefined()
  await second.close()
})

it('never writes a secret into the file', async () => {
  const control = await openSqliteControlStore(path)
  const grid = await control.grids.create({ name: 'Shop' })
  const newKey = { gridId: grid.id, name: 'visible-name', role: 'Owner', scopes: ['read'], expiresAtMs: null } as const
  const made = await control.keys.create({ ...newKey, scopes: ['read'] })
  const chosen = await control.keys.create({ ...newKey, scopes: ['read'], secret: 'a-secret-someone-chose' })
  const rotated = await control.keys.rotate(grid.id, made.key.id)
  await control.users.create({ email: 'a@b.c', name: 'A', password: 'the password of A', admin: false })
  await control.users.verifyPassword('a@b.c', 'a mistyped password', NOW_MS)
  await control.users.verifyPassword('typed into the wrong field', 'x', NOW_MS)
  const client = await control.clients.create({ name: 'CI', admin: false })
  const open = await allBytes()
  await control.close()
  const bytes = Buffer.concat([open, await allBytes()])
  expect(bytes.includes('visible-name')).toBe(true)
  const secrets = [made.secret, chosen.secret, rotated?.secret ?? '?', client.secret]
  for (const secret of [...secrets, 'the password of A', 'a mistyped password', 'typed into the wrong field']) {
    expect(bytes.includes(secret), secret).toBe(false)
  }
})

it('lets only the owner of the file read it', async () => {
  const control = await openSqliteControlStore(path)
  await control.grids.create({ name: 'Shop' })
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
  await control.close()
})

it('refuses a database of a newer version in one line, and leaves it as it is', async () => {
  await (await openSqliteControlStore(path)).close()
  const newer = new Database(path)
  newer.exec("insert into kysely_migration (name, timestamp) values ('9999-teleport', '2099-01-01T00:00:00.000Z')")
  newer.close()
  const opening = openSqliteControlStore(path)
  await expect(opening).rejects.toThrow(StoreUnusable)
  await expect(opening).rejects.toThrow(/^The control database .* newer version of Faultline .*"9999-teleport"[^\n]*$/)
})

it('refuses what is no database, and what it cannot open', async () => {
  await writeFile(path, 'not a database at all, whatever its name says. '.repeat(50))
  await expect(openSqliteControlStore(path)).rejects.toThrow(StoreUnusable)
  await expect(openSqliteControlStore(join(folder, 'missing', 'control.db'))).rejects.toThrow(StoreUnusable)
  await expect(openSqliteControlStore(folder)).rejects.toThrow(/^The control database [^\n]*$/)
})

it('opens a database that was migrated before without changing it', async () => {
  for (let i = 0; i < 3; i++) await (await openSqliteControlStore(path)).close()
  const database = new Database(path)
  expect(database.prepare('select count(*) as n from kysely_migration').get()).toMatchObject({
    n: Object.keys(KNOWN_MIGRATIONS).length,
  })
  database.close()
})

it('leaves everything in the one file when it is closed', async () => {
  const control = await openSqliteControlStore(path)
  const grid = await control.grids.create({ name: 'Shop' })
  await control.close()
  const copy = join(folder, 'copy.db')
  await writeFile(copy, await readFile(path))
  const restored = await openSqliteControlStore(copy)
  expect(await restored.grids.list()).toEqual([grid])
  await restored.close()
})
