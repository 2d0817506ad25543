import { afterAll, beforeAll, expect, it } from 'vitest'
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
  return faultline(['privacy', ...args], { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: owner })
}

it('adds, lists, changes and removes rules', async () => {
  expect((await cli('add', 'Mails', '--preset', 'emails')).stdout).toMatch(/Mails +every +emails +redact +every +yes\n/)
  const added = await cli('add', 'Customers', '--key', 'customer.*', '--action', 'hash', '--json')
  expect(JSON.parse(added.stdout)).toMatchObject({ key: 'customer.*', pattern: null, action: 'hash', enabled: true })
  const updated = await cli('update', 'Mails', '--pattern', '@.+', '--places', 'log-bodies,span-texts', '--disable')
  expect(updated.stdout).toMatch(/Mails +every +@\.\+ +redact +log-bodies, span-texts +no\n/)
  expect((await cli('list')).stdout).toMatch(/Mails.*\n.*Customers +customer\.\* +whole values +hash +every +yes\n/)
  expect((await cli('remove', 'Mails')).stdout).toBe('Removed.\n')
  expect((await cli('remove', 'Mails')).stderr).toBe('faultline: This Grid has no privacy rule Mails.\n')
})

it('asks for deletions and shows how far they are, without the value', async () => {
  const asked = await cli('delete', 'user.email', '--value', 'ann@example.com', '--signals', 'logs,traces', '--json')
  expect(JSON.parse(asked.stdout)).toMatchObject({
    attribute: 'user.email',
    signals: ['logs', 'traces'],
    state: 'waiting',
  })
  const piped = await faultline(
    ['privacy', 'delete', 'user.id', '--value-stdin'],
    { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: owner },
    'ann\n',
  )
  expect(piped.stdout).toMatch(/user\.id +waiting +0 of \? +0 +0 +0/)
  expect((await server.control.deletions.next())?.value).toBe('ann@example.com')
  const { stdout } = await cli('deletions')
  expect(stdout).toMatch(/user\.id +waiting.*\n.*user\.email +waiting/)
  expect(asked.stdout + stdout).not.toContain('ann@example.com')
  expect(await cli('delete', 'user.id')).toMatchObject({ exitCode: 2 })
  expect(await cli('delete', 'user.id', '--value', 'a', '--signals', 'smoke')).toMatchObject({ exitCode: 2 })
})

it('says what is wrong with a rule', async () => {
  expect(await cli('add', 'Nothing')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('A rule needs a key, a pattern or a preset.'),
  })
  expect((await cli('add', 'Broken', '--pattern', '(a')).stderr).toContain('is no pattern in the syntax of RE2')
  expect(await cli('add', 'Both', '--pattern', 'a', '--preset', 'cards')).toMatchObject({ exitCode: 2 })
  expect(await cli('add', 'Where', '--preset', 'cards', '--places', 'nowhere')).toMatchObject({ exitCode: 2 })
  expect(await cli('update', 'Customers')).toMatchObject({ exitCode: 2 })
})
