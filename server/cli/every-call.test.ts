import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openReceiver, type Receiver } from '../notify/testing/receiver.ts'
import { ADMIN_TOKEN, type MemoryServer, openMemoryServer } from './testing/memory-server.ts'
import { faultline } from './testing/test-shell.ts'

const ID = '0123456789abcdef'
const WINDOW = '2026-01-01T00:00:00Z'

/**
 * Commands that together make every documented call, one after another, each with `--json`. `$id` is the id that the command
 * before has answered with. After a question mark: what may fail, because the command asks for something that is not there.
 */
const COMMANDS = (receiver: Receiver, folder: string) => [
  ['grids', 'list'],
  ['grids', 'create', 'another'],
  ['grids', 'show', 'another'],
  ['grids', 'rename', 'another', 'other'],
  ['grids', 'subscription', 'other', '--state', 'trial'],
  ['grids', 'retention', 'other', '--raw-days', '3'],
  ['grids', 'usage', 'other'],
  ['grids', 'limits', 'other', '--records-per-second', '5'],
  ['grids', 'apdex', 'other', '--default-ms', '5'],
  ['grids', 'delete', 'other', '--yes'],
  ['keys', 'list'],
  ['keys', 'create', '--name', 'ci', '--scopes', 'read'],
  ['keys', 'rotate', '$id'],
  ['keys', 'revoke', '$id'],
  ['members', 'list'],
  ['members', 'set', 'ada', '--role', 'User'],
  ['members', 'remove', 'ada'],
  ['users', 'list'],
  ['users', 'create', 'ada@example.com', '--password-stdin'],
  ['users', 'remove', '$id'],
  ['clients', 'list'],
  ['clients', 'create', 'ci'],
  ['clients', 'remove', '$id'],
  ['rules', 'list'],
  ['rules', 'add', 'Slow', '--metric', 'p95_latency', '--comparator', '>', '--threshold', '5'],
  ['rules', 'show', 'Slow'],
  ['rules', 'update', 'Slow', '--threshold', '6'],
  ['rules', 'remove', 'Slow'],
  ['alerts', 'list'],
  ['?', 'alerts', 'show', ID],
  ['?', 'alerts', 'ack', ID],
  ['channels', 'list'],
  ['channels', 'add', 'Pager', '--webhook', receiver.url],
  ['channels', 'show', 'Pager'],
  ['channels', 'update', 'Pager', '--name', 'Bell'],
  ['channels', 'test', 'Bell'],
  ['channels', 'deliveries', 'Bell'],
  ['channels', 'remove', 'Bell'],
  ['silences', 'list'],
  ['silences', 'add', '--for', '1h'],
  ['silences', 'end', '$id'],
  ['charts', 'list'],
  ['charts', 'add', 'Slow', '--metric', 'latency_p95'],
  ['charts', 'show', 'Slow'],
  ['charts', 'update', 'Slow', '--type', 'bar'],
  ['charts', 'data', 'Slow'],
  ['charts', 'render', 'Slow', '--output', join(folder, 'chart.png')],
  ['charts', 'remove', 'Slow'],
  ['dashboards', 'list'],
  ['dashboards', 'add', 'Mine'],
  ['dashboards', 'show', 'Mine'],
  ['dashboards', 'update', 'Mine', '--title', 'Ours'],
  ['dashboards', 'remove', 'Ours'],
  ['privacy', 'list'],
  ['privacy', 'add', 'Mails', '--preset', 'emails'],
  ['privacy', 'show', 'Mails'],
  ['privacy', 'update', 'Mails', '--action', 'hash'],
  ['privacy', 'remove', 'Mails'],
  ['privacy', 'deletions'],
  ['privacy', 'delete', 'user.email', '--value', 'ann@example.com'],
  ['privacy', 'deletion', '$id'],
  ['audit', 'list'],
  ['audit', 'all'],
  ['?', 'backup', join(folder, 'backup')],
  ...[
    'health',
    'alerts',
    'diagnosis',
    'pressure',
    'trends',
    'services',
    'timeline',
    'slowest-endpoints',
    'changes',
  ].map((question) => ['query', question]),
  ['?', 'query', 'service', 'shop'],
  [
    'query',
    'compare',
    ...['--baseline-start', '2026-01-01T00:00:00Z', '--baseline-end', '2026-01-02T00:00:00Z'],
    ...['--current-start', '2026-01-03T00:00:00Z', '--current-end', '2026-01-04T00:00:00Z'],
  ],
  ['query', 'search', '--from', WINDOW],
  ['query', 'filters'],
  ...['span', 'span-tags', 'span-events'].map((question) => ['?', 'query', question, ID]),
  ...['trace', 'trace-logs', 'trace-errors'].map((question) => ['?', 'query', question, ID + ID]),
  ['query', 'logs', 'words'],
  ['?', 'query', 'log', ID + ID],
  ['query', 'log-patterns'],
  ['query', 'log-filters'],
]

/** What every client may see without asking by a command. */
const NOT_ASKED = ['GET /', 'GET /healthz', 'GET /readyz', 'GET /metrics']

let folder: string
let server: MemoryServer
let receiver: Receiver
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-cli-'))
  server = await openMemoryServer()
  receiver = await openReceiver()
  env = { FAULTLINE_URL: server.url, HOME: folder, FAULTLINE_GRID_ID: server.gridId }
  const login = { url: server.url, tokenUrl: server.url, accessToken: ADMIN_TOKEN, expiresAtMs: Date.now() + 3_600_000 }
  await mkdir(join(folder, '.config', 'faultline'), { recursive: true })
  await writeFile(join(folder, '.config', 'faultline', 'logins.json'), JSON.stringify([login]))
})
afterAll(async () => {
  await receiver.close()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(command: string[], lastId: string): Promise<string> {
  const mayFail = command[0] === '?'
  const args = (mayFail ? command.slice(1) : command).map((arg) => (arg === '$id' ? lastId : arg))
  const { exitCode, stdout, stderr } = await faultline([...args, '--json'], env, 'a long password\n')
  if (mayFail) expect(exitCode, `${args.join(' ')}: ${stderr}`).not.toBe(2)
  else expect([exitCode, stderr], args.join(' ')).toEqual([0, ''])
  return exitCode === 0 && stdout !== '' ? (JSON.parse(stdout).id ?? lastId) : lastId
}

it('every call that is documented is made by some command', async () => {
  let lastId = ''
  for (const command of COMMANDS(receiver, folder)) lastId = await run(command, lastId)
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  const missing = Object.entries(paths).flatMap(([path, calls]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const isMade = (method: string) =>
      server.calls.some((call) => call.startsWith(`${method} `) && pattern.test(call.slice(method.length + 1)))
    return Object.keys(calls)
      .map((method) => method.toUpperCase())
      .filter((method) => !isMade(method))
      .map((method) => `${method} ${path}`)
  })
  expect(missing.sort()).toEqual(NOT_ASKED.sort())
})
