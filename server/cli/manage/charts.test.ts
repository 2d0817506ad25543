import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  return faultline(args, { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: owner })
}

async function json(...args: string[]) {
  const { exitCode, stdout, stderr } = await cli(...args, '--json')
  expect([exitCode, stderr]).toEqual([0, ''])
  return stdout === '' ? undefined : JSON.parse(stdout)
}

it('lists, adds, changes and removes charts', async () => {
  expect((await cli('charts', 'list')).stdout).toMatch(
    /Latency percentiles +line +latency_p50, latency_p95, latency_p99 +all/,
  )
  const flags = ['--metric', 'throughput', '--metric', 'apdex', '--filter', 'region=eu', '--group-by', 'span.name']
  const added = await json('charts', 'add', 'Carts', ...flags, '--service', 'cart', '--type', 'bar')
  expect(added).toMatchObject({
    ...{ title: 'Carts', chartType: 'bar', serviceName: 'cart', metrics: ['throughput', 'apdex'] },
    ...{ filter: { region: 'eu' }, groupBy: 'span.name', unit: 'req/s' },
  })
  const changed = await json('charts', 'update', 'Carts', '--metric', 'latency_p95', '--all-services')
  expect(changed).toMatchObject({
    id: added.id,
    metrics: ['latency_p95'],
    serviceName: null,
    unit: 'ms',
    groupBy: 'span.name',
  })
  expect(await cli('charts', 'update', 'Carts')).toMatchObject({ exitCode: 2 })
  expect((await cli('charts', 'remove', 'Carts')).stdout).toBe('Removed.\n')
  expect(await cli('charts', 'remove', 'Carts')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no chart Carts'),
  })
})

it('shows the data of a chart and draws it', async () => {
  expect((await cli('charts', 'data', 'Apdex', '--since', '2h')).stdout).toBe('No data.\n')
  expect(await json('charts', 'data', 'Apdex')).toMatchObject({ title: 'Apdex', series: [] })
  const folder = await mkdtemp(join(tmpdir(), 'faultline-render-'))
  const file = join(folder, 'apdex.png')
  expect((await cli('charts', 'render', 'Apdex', '--output', file, '--width', '300')).stdout).toBe(`Drawn: ${file}\n`)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ title: 'Apdex', width: 300, height: 400 })
  expect(await cli('charts', 'render', 'Apdex', '--width', '99')).toMatchObject({ exitCode: 2 })
  expect(await cli('charts', 'render', 'Apdex', '--output', join(folder, 'no', 'x'))).toMatchObject({ exitCode: 1 })
  await rm(folder, { recursive: true })
})

it('lists, adds, changes and removes dashboards', async () => {
  expect((await cli('dashboards', 'show', 'Overview')).stdout).toMatch(/Top services by errors +line +8 +0 +12 +5\n/)
  const charts = (await json('charts', 'list')) as { id: string }[]
  const [first = { id: '' }, second = { id: '' }] = charts
  const added = await json('dashboards', 'add', 'Mine', '--chart', first.id, '--chart', second.id)
  expect(added.charts).toMatchObject([{ position: { row: 0, col: 0 } }, { position: { row: 0, col: 6 } }])
  const changed = await json('dashboards', 'update', 'Mine', '--title', 'Ours', '--chart', second.id)
  expect(changed).toMatchObject({ title: 'Ours', charts: [{ chartId: second.id, position: { row: 0, col: 6 } }] })
  expect((await cli('dashboards', 'list')).stdout).toMatch(/Ours +1/)
  expect((await cli('dashboards', 'remove', added.id)).stdout).toBe('Removed.\n')
  expect(await cli('dashboards', 'show', 'Ours')).toMatchObject({ exitCode: 1 })
})
