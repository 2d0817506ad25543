import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../control/control-store.ts'
import { type MemoryServer, openMemoryServer } from '../testing/memory-server.ts'
import { type CliResult, faultline } from '../testing/test-shell.ts'

let server: MemoryServer
let owner: string

beforeAll(async () => {
  server = await openMemoryServer()
  owner = await server.key(['read', 'ingest', 'manage'], 'Owner')
})
afterAll(() => server.close())

function cli(...args: string[]): Promise<CliResult> {
  return faultline(args, { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: owner })
}

async function ownerOf(gridId: string): Promise<Record<string, string>> {
  const scopes: Scope[] = ['read', 'manage']
  const { secret } = await server.control.keys.create({
    gridId,
    name: 'test',
    role: 'Owner',
    scopes,
    expiresAtMs: null,
  })
  return { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: secret }
}

async function json(...args: string[]) {
  const { exitCode, stdout, stderr } = await cli(...args, '--json')
  expect([exitCode, stderr]).toEqual([0, ''])
  return stdout === '' ? undefined : JSON.parse(stdout)
}

describe('keys', () => {
  it('are made, shown once, given a new secret and revoked', async () => {
    const made = await json('keys', 'create', '--name', 'ci', '--scopes', 'ingest,read', '--expires-in', '30d')
    expect(made).toMatchObject({ name: 'ci', role: 'Guest', scopes: ['read', 'ingest'], secret: expect.any(String) })
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBeCloseTo(30 * 86_400_000, -5)
    const rotated = await json('keys', 'rotate', made.id)
    expect(rotated.id).toBe(made.id)
    expect(rotated.secret).not.toBe(made.secret)
    expect(await json('keys', 'revoke', made.id)).toBeUndefined()
    const { stdout } = await cli('keys', 'list')
    expect(stdout).toMatch(new RegExp(`${made.id}  ci +${rotated.prefix} +Guest  read,ingest +\\S+Z  \\S+Z  \\S+Z`))
    expect(stdout).not.toContain(made.secret)
  })

  it('are refused in the words of the server', async () => {
    const { exitCode, stderr } = await cli('keys', 'revoke', 'nonsense')
    expect([exitCode, stderr]).toEqual([1, 'faultline: This Grid has no such API key.\n'])
    expect(await cli('keys', 'create', '--name', 'x', '--scopes', 'everything')).toMatchObject({ exitCode: 2 })
  })
})

describe('members', () => {
  it('are added, changed, listed and removed', async () => {
    await cli('members', 'set', 'ada@example.com', '--role', 'User')
    await cli('members', 'set', 'ada@example.com', '--role', 'Member')
    expect((await cli('members', 'list')).stdout).toMatch(/^MEMBER +ROLE +SINCE\nada@example\.com {2}Member {2}\S+Z\n$/)
    expect((await cli('members', 'remove', 'ada@example.com')).stdout).toBe('Removed.\n')
    expect((await json('members', 'list')).totalCount).toBe(0)
  })
})

describe('Grids', () => {
  it('are found by name as well as by id', async () => {
    const byName = await json('grids', 'show', 'shop')
    expect(byName).toEqual(await json('grids', 'show', server.gridId.toUpperCase()))
    expect(await cli('grids', 'show', 'nowhere')).toMatchObject({ exitCode: 1 })
  })

  it('keep of a setting what was not given', async () => {
    await json('grids', 'retention', server.gridId, '--disk-share', '12.5')
    expect((await json('grids', 'retention', server.gridId, '--raw-days', '3')).retention).toEqual({
      rawDays: 3,
      aggregateDays: (await json('grids', 'show', server.gridId)).retention.aggregateDays,
      diskSharePercent: 12.5,
    })
    await json('grids', 'limits', server.gridId, '--records-per-second', '5000')
    const limited = await json('grids', 'limits', server.gridId, '--requests-per-minute-caller', '50000')
    expect(limited.limits).toEqual({
      recordsPerSecond: 5000,
      requestsPerMinuteCaller: 50_000,
      requestsPerMinuteGrid: null,
    })
    const free = await json('grids', 'limits', server.gridId, '--records-per-second', 'unlimited')
    expect(free.limits.recordsPerSecond).toBeNull()
    expect((await json('grids', 'subscription', server.gridId, '--state', 'trial')).subscription.state).toBe('trial')
  })

  it('say what they take of the disk and may take', async () => {
    await json('grids', 'retention', server.gridId, '--disk-share', '12.5')
    expect(await json('grids', 'usage', server.gridId)).toMatchObject({ bytes: 0, budgetBytes: 125_000_000 })
    expect((await cli('grids', 'usage', 'shop')).stdout).toMatch(/^Takes +0 bytes\nMay take +125 MB\n/)
    await json('grids', 'retention', server.gridId, '--disk-share', 'none')
    expect(await json('grids', 'usage', server.gridId)).toMatchObject({ budgetBytes: null })
    expect(await cli('grids', 'retention', server.gridId, '--disk-share', 'all')).toMatchObject({ exitCode: 2 })
    expect(await cli('grids', 'retention', server.gridId, '--disk-share', '101')).toMatchObject({ exitCode: 1 })
  })

  it('have a threshold for each service that has one', async () => {
    await json('grids', 'apdex', server.gridId, '--service', 'a=100', '--service', 'b=200')
    const { apdex } = await json('grids', 'apdex', server.gridId, '--default-ms', '400', '--service', 'a=default')
    expect(apdex).toEqual({ defaultMs: 400, services: { b: 200 } })
    expect(await cli('grids', 'apdex', server.gridId, '--service', 'a=fast')).toMatchObject({ exitCode: 2 })
  })

  it('stay as they are where nothing is to be changed', async () => {
    expect(await cli('grids', 'retention', server.gridId)).toMatchObject({ exitCode: 2 })
  })

  it('are given another name', async () => {
    const { id } = await server.control.grids.create({ name: 'old' })
    const key = await ownerOf(id)
    expect((await faultline(['grids', 'rename', 'old', 'new name'], key)).stdout).toContain('new name')
    expect(await server.control.grids.find(id)).toMatchObject({ name: 'new name' })
  })

  it('are deleted only where that was confirmed', async () => {
    const { id } = await server.control.grids.create({ name: 'doomed' })
    const env = await ownerOf(id)
    const unasked = await faultline(['grids', 'delete', 'doomed'], env)
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
    const mistaken = await faultline(['grids', 'delete', 'doomed'], env, 'dooomed\n', { isTTY: true })
    expect(mistaken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Nothing was done.') })
    expect(await server.control.grids.find(id)).toBeDefined()
    expect(await faultline(['grids', 'delete', id], env, 'doomed\n', { isTTY: true })).toMatchObject({
      exitCode: 0,
      stdout: 'Removed.\n',
    })
    expect(await server.control.grids.find(id)).toBeUndefined()
    const { id: next } = await server.control.grids.create({ name: 'doomed' })
    expect(await faultline(['grids', 'delete', next, '--yes'], await ownerOf(next))).toMatchObject({ exitCode: 0 })
  })

  it('are made by administrators only', async () => {
    const { exitCode, stderr } = await cli('grids', 'create', 'another')
    expect([exitCode, stderr]).toEqual([1, 'faultline: Only a platform administrator may do this.\n'])
  })
})

describe('a user', () => {
  it('has a password that is not given on the command line', async () => {
    const args = ['users', 'create', 'ada@example.com']
    expect(await cli(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--password-stdin') })
    expect(await cli(...args, '--password-stdin')).toMatchObject({ exitCode: 2 })
  })
})
