import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { windowOfMs } from '../server/domain/time-window.ts'
import { ask } from './api.ts'
import { type ControlData, expectControlData, makeControlData } from './control-data.ts'
import { CrashLoad, SPANS_PER_BATCH } from './crash-load.ts'
import { exportersFor, TRANSPORTS } from './exporters.ts'
import { freePort } from './free-port.ts'
import { sendTrace } from './sdk-telemetry.ts'
import { GRID_ID, OWNER_KEY, type ServerProcess, startServer } from './server-process.ts'
import { openStoredTelemetry } from './stored-telemetry.ts'

const WHOLE = { spans: SPANS_PER_BATCH, different: SPANS_PER_BATCH }
const NOTHING = { spans: 0, different: 0 }

let folder: string
let dataDir: string
let env: Record<string, string>
let server: ServerProcess
let control: ControlData
const load = new CrashLoad()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-restart-'))
  dataDir = join(folder, 'data')
  // Sessions belong to an address, so that it must not change.
  env = { FAULTLINE_PORT: String(await freePort()) }
  server = await startServer(dataDir, env)
  control = await makeControlData(server, dataDir)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(['kill', 'stop'] as const)('after a %s in the middle of the work', (end) => {
  beforeAll(async () => {
    let ended: Promise<unknown> | undefined
    await load.sendUntilGone(server, (batches) => {
      if (batches >= 10) ended ??= server[end]()
    })
    expect(await ended).toEqual(end === 'stop' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' })
    server = await startServer(dataDir, env)
  })

  it('the next start is ready, and shows no secret again', async () => {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(server.output()).not.toMatch(/not shown again|Ingest key/)
  })

  it('everything acknowledged is there once, and everything else whole or not at all', async () => {
    for (const batch of load.acknowledged) expect(await load.countOf(server, batch), `batch ${batch}`).toEqual(WHOLE)
    for (const batch of load.unacknowledged) expect([WHOLE, NOTHING]).toContainEqual(await load.countOf(server, batch))
  })

  it('what a client sends again, since it does not know better, is there once', async () => {
    await load.sendAgain(server)
    for (const batch of load.acknowledged) expect(await load.countOf(server, batch), `batch ${batch}`).toEqual(WHOLE)
    const { body } = await ask(server, `/apm/diagnostics/${GRID_ID}/health`)
    const requestCount = load.acknowledged.size * SPANS_PER_BATCH
    expect(body['services']).toMatchObject([{ serviceName: 'load', requestCount }])
  })

  it('Grids, keys, users, clients and sessions are as they were', async () => {
    await expectControlData(server, dataDir, control)
  })
})

it('logs and metric points, too, are there once', async () => {
  await server.kill()
  const store = await openStoredTelemetry(dataDir)
  const window = windowOfMs(load.startMs, load.startMs + 3_600_000)
  const batches = Array.from(load.acknowledged).sort((a, b) => a - b)
  const logs = await store.reader(GRID_ID).logs(window, 100_000)
  expect(logs.map(({ body }) => body)).toEqual(batches.map((batch) => `batch ${batch}`))
  const points = await store.reader(GRID_ID).metricPoints('batches', window, 100_000)
  expect(points.map(({ value }) => value)).toEqual(batches)
  await store.close()
})

it('a server stops within 10 seconds, with exit code 0, whatever its clients are doing', async () => {
  const busy = await startServer(join(folder, 'busy'))
  const api = new URL(busy.url)
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAPI-Key: ${OWNER_KEY}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"`
  const sockets = await Promise.all([
    opened(api, ''),
    opened(api, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
    opened(api, head(`/apm/traces/${GRID_ID}?api-version=2.0`)),
    opened(api, head('/v1/traces')),
    opened(new URL(busy.otlpHttpUrl), head('/v1/logs')),
    opened(new URL(busy.otlpGrpcUrl), 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  ])
  for (const transport of TRANSPORTS) await sendTrace(exportersFor(busy, transport).traces, transport.name)
  const startedMs = performance.now()
  let ended: ReturnType<ServerProcess['stop']> | undefined
  await new CrashLoad().sendUntilGone(busy, () => {
    ended ??= busy.stop()
  })
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  for (const socket of sockets) socket.destroy()
})

async function opened({ hostname, port }: URL, bytes: string) {
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}
