import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { failedStart, startServer } from './server-process.ts'

let folder: string
let dataDir: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-start-'))
  dataDir = join(folder, 'data')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** All that a person sees of a start that failed is this one line. */
async function expectRefusal(line: RegExp, given: { dataDir?: string; env?: Record<string, string> } = {}) {
  const { code, stdout, stderr } = await failedStart(given.dataDir ?? dataDir, given.env)
  expect(stderr).toMatch(/^faultline: [^\n]+\n$/)
  expect(stderr).toMatch(line)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
}

it('a data folder in use by another process is refused, and that process goes on', async () => {
  const server = await startServer(dataDir)
  onTestFinished(async () => void (await server.stop()))
  await expectRefusal(/data folder \S+data\S* is in use by another process/)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
})

it('telemetry of a newer format is refused and left as it is', async () => {
  const file = join(dataDir, 'telemetry', 'format.json')
  const { format } = JSON.parse(await readFile(file, 'utf8'))
  const newer = JSON.stringify({ format: format + 1 })
  await writeFile(file, newer)
  onTestFinished(() => writeFile(file, JSON.stringify({ format })))
  await expectRefusal(new RegExp(`format ${format + 1}, and this program reads format ${format}: start the newer`))
  expect(await readFile(file, 'utf8')).toBe(newer)
})

it('a data folder that cannot be made is refused', async () => {
  const file = join(folder, 'a file')
  await writeFile(file, '')
  await expectRefusal(/data folder \S+a file\/data cannot be made/, { dataDir: join(file, 'data') })
})

it.skipIf(process.getuid?.() === 0)('a data folder that this user may not write is refused', async () => {
  const readOnly = join(folder, 'read-only')
  await mkdir(readOnly)
  await chmod(readOnly, 0o555)
  await expectRefusal(/data folder \S+read-only\S* cannot be used/, { dataDir: readOnly })
})

async function expectPortRefused(variable: string): Promise<void> {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  await expectRefusal(new RegExp(`${variable} is "${port}": another program listens on this port`), {
    dataDir: join(folder, variable),
    env: { [variable]: port },
  })
}

it('FAULTLINE_OTLP_GRPC_PORT in use is refused', () => expectPortRefused('FAULTLINE_OTLP_GRPC_PORT'))
it('FAULTLINE_PORT in use is refused', () => expectPortRefused('FAULTLINE_PORT'))

it('a bad value is refused with its variable and what is accepted, and a secret is not shown', async () => {
  const env = { FAULTLINE_API_KEY: 'tooShort' }
  await expectRefusal(/FAULTLINE_API_KEY is 8 characters that are not shown: it must be 16 or more/, { env })
})
