import { afterAll, beforeAll, expect, it } from 'vitest'
import { spanColumnsOf } from '../../storage/conformance/span-builder.ts'
import { createAlerting } from '../../watch/alerting.ts'
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

async function json(...args: string[]) {
  const { exitCode, stdout, stderr } = await cli(...args, '--json')
  expect([exitCode, stderr]).toEqual([0, ''])
  return stdout === '' ? undefined : JSON.parse(stdout)
}

it('lists, adds, changes and removes alert rules', async () => {
  expect((await cli('rules', 'list')).stdout).toMatch(
    /High Error Rate +error_rate > 5% +every +5 min +2 min +critical +yes\n/,
  )
  const condition = ['--metric', 'p95_latency', '--comparator', '>', '--threshold', '800.5']
  const target = { kind: 'webhook' as const, url: 'https://pager.example.com' }
  const makeChannel = (name: string) => server.control.channels.create(server.gridId, { name, target, secret: 'x' })
  const channels = [(await makeChannel('Pager')).id, (await makeChannel('Chat')).id]
  const flags = ['--service', 'cart', '--channels', channels.join(', ')]
  const added = await json('rules', 'add', 'Slow carts', ...condition, ...flags)
  expect(added).toMatchObject({ threshold: 800.5, serviceName: 'cart', channels, holdMinutes: 2 })
  const changed = await json('rules', 'update', 'Slow carts', '--threshold', '700', '--without-data', 'resolve')
  expect(changed).toMatchObject({ id: added.id, threshold: 700, recoveryThreshold: 700, noData: 'resolve' })
  const recovering = await json('rules', 'update', added.id, '--recovery', '500', '--all-services', '--disable')
  expect(recovering).toMatchObject({ recoveryThreshold: 500, serviceName: null, enabled: false, channels })
  expect(await json('rules', 'update', added.id, '--threshold', '900', '--enable')).toMatchObject({
    recoveryThreshold: 500,
    enabled: true,
  })
  expect((await cli('rules', 'remove', 'Slow carts')).stdout).toBe('Removed.\n')
  expect((await json('rules', 'list')).totalCount).toBe(4)
})

it('says what is wrong with a rule', async () => {
  expect(await cli('rules', 'add', 'x', '--metric', 'apdex')).toMatchObject({ exitCode: 2 })
  expect(await cli('rules', 'update', 'Low Apdex')).toMatchObject({ exitCode: 2 })
  expect(await cli('rules', 'update', 'Low Apdex', '--threshold', 'much')).toMatchObject({ exitCode: 2 })
  expect((await cli('rules', 'update', 'Low Apdex', '--threshold', '2')).stderr).toBe(
    'faultline: threshold of apdex must be 0 to 1 points.\n',
  )
  expect((await cli('rules', 'remove', 'Nothing')).stderr).toBe('faultline: This Grid has no alert rule Nothing.\n')
})

it('lists what fires, acknowledges it, and shows the history', async () => {
  expect((await cli('alerts', 'list')).stdout).toBe('Nothing fires.\n')
  expect((await cli('query', 'alerts')).stdout).toBe('Nothing fires.\n')
  const [rule] = await server.control.alerts.rules.list(server.gridId)
  if (!rule) throw new Error('There are no rules.')
  const nowMs = Date.now()
  const opened = { kind: 'open', rule, condition: 'p95_latency > 2000ms', serviceName: 'shop', value: 2500 } as const
  await server.control.alerts.save(server.gridId, [{ ...opened, sinceMs: nowMs, triggeredAtMs: nowMs }], nowMs)
  const { items } = await json('alerts', 'list')
  const row = `${items[0].id} +warning +firing +shop +Elevated Latency +p95_latency > 2000ms +2500 +\\S+Z`
  expect((await cli('alerts', 'list')).stdout).toMatch(new RegExp(`^ALERT .*\n${row}\n\n1 alert, page 1 of 1\\.\n$`))
  expect((await cli('query', 'alerts')).stdout).toMatch(new RegExp(`^ALERT .*\n${row}\n$`))
  expect((await cli('query', 'alerts', '--at', '2020-01-01T00:00:00Z')).stdout).toBe('Nothing fires.\n')
  expect(await json('alerts', 'ack', items[0].id, '--note', 'on it')).toMatchObject({
    status: 'acknowledged',
    acknowledgementNote: 'on it',
  })
  expect((await cli('alerts', 'history')).stdout).toMatch(/acknowledged +shop .* API key test +- +-\n\n1 alert/)
  expect(await cli('alerts', 'ack', 'nothing')).toMatchObject({
    exitCode: 1,
    stderr: 'faultline: This Grid has no such alert.\n',
  })
})

it('shows what was found in telemetry', async () => {
  const nowMs = Date.now()
  const spans = Array.from({ length: 600 }, (_, i) => ({
    trace: (i + 1).toString(16),
    id: (i + 1).toString(16),
    service: 'mail',
    kind: 'SERVER' as const,
    status: i % 4 === 0 ? ('ERROR' as const) : ('OK' as const),
    startNs: BigInt(nowMs - 1000 - i * 1000) * 1_000_000n,
  }))
  await server.store.writeSpans(server.gridId, spanColumnsOf(spans))
  const report = (error: unknown) => expect(error).toBeUndefined()
  const alerting = createAlerting({ telemetry: server.store, control: server.control, clock: () => nowMs, report })
  await alerting.lookAtAll()
  const { alerts } = await json('query', 'alerts')
  expect(alerts[0]).toMatchObject({
    ruleName: 'High Error Rate',
    severity: 'critical',
    serviceName: 'mail',
    condition: 'error_rate > 5%',
    status: 'firing',
    triggeredAt: new Date(nowMs).toISOString(),
  })
  expect(alerts[0].currentValue).toBeCloseTo(25, 0)
  const events = await server.control.events.list(server.gridId, { startMs: nowMs, endMs: nowMs + 1 })
  expect(events).toMatchObject([{ type: 'alert', severity: 'critical', serviceName: 'mail' }])
})
