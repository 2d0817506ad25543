import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { faultline } from './testing/test-shell.ts'

/** Stands for a server: gives tokens, and notes with what it is asked. */
const asked: string[] = []
const server = createServer((request, response) => {
  const { authorization, 'api-key': key } = request.headers
  if (request.url !== '/oauth/token') asked.push(`${request.url} ${key ?? authorization}`)
  const answer =
    request.url === '/oauth/token' ? { access_token: 'a.b.c', expires_in: 600 } : { items: [], totalCount: 0 }
  response.end(JSON.stringify(answer))
})
let url: string
let dataDir: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-cli-'))
  const admin = { url, tokenUrl: `${url}/oauth/token`, clientId: 'cli', clientSecret: 'secret' }
  await writeFile(join(dataDir, 'admin.json'), JSON.stringify(admin))
})
beforeEach(() => {
  asked.length = 0
})
afterAll(async () => {
  server.close()
  await rm(dataDir, { recursive: true })
})

const KEY = 'a key of sixteen letters'

describe('a command', () => {
  it('administers the server on this machine without a key', async () => {
    expect(await faultline(['grids', 'list'], { FAULTLINE_DATA_DIR: dataDir })).toMatchObject({ exitCode: 0 })
    expect(asked).toEqual(['/apm/grids Bearer a.b.c'])
  })

  it('uses a key where there is one, from a variable or a flag', async () => {
    await faultline(['grids', 'list'], { FAULTLINE_DATA_DIR: dataDir, FAULTLINE_API_KEY: KEY })
    await faultline(['grids', 'list', '--url', `${url}/`, '--api-key', `${KEY}!`], { FAULTLINE_API_KEY: KEY })
    expect(asked).toEqual([`/apm/grids ${KEY}`, `/apm/grids ${KEY}!`])
  })

  it('does what no key may do as the local administrator, if it can', async () => {
    const env = { FAULTLINE_DATA_DIR: dataDir, FAULTLINE_API_KEY: KEY }
    await faultline(['users', 'list'], env)
    await faultline(['users', 'list'], { ...env, FAULTLINE_DATA_DIR: tmpdir(), FAULTLINE_URL: url })
    expect(asked).toEqual(['/apm/users Bearer a.b.c', `/apm/users ${KEY}`])
  })

  it("gives the local administrator's secret to no other server", async () => {
    const env = { FAULTLINE_DATA_DIR: dataDir, FAULTLINE_URL: 'http://127.0.0.1:1' }
    const { exitCode, stderr } = await faultline(['grids', 'list'], env)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('http://127.0.0.1:1 asks for a credential: set FAULTLINE_API_KEY')
    expect(asked).toEqual([])
  })

  it('says what to set where nothing is known', async () => {
    const { exitCode, stderr } = await faultline(['grids', 'list'], { FAULTLINE_DATA_DIR: '/nowhere' })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('/nowhere')
    expect(stderr).toContain('FAULTLINE_URL and FAULTLINE_API_KEY')
  })

  it('refuses an address or a key that cannot be one, without showing the key', async () => {
    expect(await faultline(['grids', 'list'], { FAULTLINE_URL: 'ftp://x' })).toMatchObject({ exitCode: 2 })
    const { exitCode, stderr } = await faultline(['grids', 'list'], { FAULTLINE_API_KEY: 'short' })
    expect(exitCode).toBe(2)
    expect(stderr).not.toContain('short')
  })

  it('needs a key to send telemetry', async () => {
    const { exitCode, stderr } = await faultline(['import', 'x.json'], { FAULTLINE_DATA_DIR: dataDir })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('scope ingest')
  })
})

describe('wrong usage', () => {
  it.each([
    [[]],
    [['nonsense']],
    [['grids']],
    [['keys', 'create']],
    [['grids', 'show']],
    [['grids', 'list', '--nonsense']],
  ])('%j exits with 2 and says why', async (args) => {
    const { exitCode, stderr, stdout } = await faultline(args)
    expect(exitCode).toBe(2)
    expect(stderr).not.toBe('')
    expect(stdout).toBe('')
  })

  it('is not to ask for help or the version', async () => {
    expect(await faultline(['--help'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await faultline(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
