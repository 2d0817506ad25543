import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let folder: string
let headers: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
  folder = await mkdtemp(join(tmpdir(), 'faultline-backup-'))
  headers = await test.person('root', { admin: true })
})
afterAll(async () => {
  await test.app.close()
  await rm(folder, { recursive: true, force: true })
})

const begin = (path: string) => test.ask({ method: 'POST', url: '/apm/backups', headers, payload: { folder: path } })
const see = (id: string) => test.ask({ url: `/apm/backups/${id}`, headers })

it('begins a backup, and says how far it is until it is done', async () => {
  const target = join(folder, 'backup')
  const begun = await begin(target)
  expect(begun).toMatchObject({ status: 201, body: { folder: target, reason: null } })
  await expect.poll(async () => (await see(begun.body.id)).body['state']).toBe('done')
  expect((await see(begun.body.id)).body).toMatchObject({ files: 1, filesCopied: 1, finishedAt: expect.any(String) })
  expect(await readdir(target)).toContain('backup.json')
})

it('refuses a folder that no backup can be made in, and says why', async () => {
  expect(await begin('backup')).toMatchObject({ ...problem('unusable-folder'), detail: 'backup is no absolute path' })
})

it('begins one at a time', async () => {
  const [first, second] = await Promise.all([begin(join(folder, 'a')), begin(join(folder, 'b'))])
  expect([first.status, second.status].sort()).toEqual([201, 409])
  expect([first.body['type'], second.body['type']]).toContain('urn:faultline:problem:backup-under-way')
})

it('knows no backup that it has not made', async () => {
  expect(await see('00000000-0000-4000-8000-000000000000')).toMatchObject(problem('unknown-backup'))
})
