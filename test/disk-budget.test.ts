import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, TRACES } from './api.ts'
import { sendOtlp, spanIdOf, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'

const HOUR_MS = 3_600_000
const USAGE = `/apm/grids/${GRID_ID}/usage`

/** As many hours ago as its number says. */
const span = (number: number) => ({
  traceId: traceIdOf(number),
  spanId: spanIdOf(number),
  startMs: Date.now() - number * HOUR_MS,
})

let dataDir: string
let server: ServerProcess

/** A server that had no budget when the spans came, and has one now. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-budget-'))
  const before = await startServer(dataDir)
  expect((await sendOtlp(before.url, 'traces', traceRequest([span(8), span(5), span(0)]))).status).toBe(200)
  await before.stop()
  server = await startServer(dataDir, { FAULTLINE_DISK_BUDGET: '1KB' })
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

it('removes the hours that are over where telemetry takes more than it may, and says so', async () => {
  const statusOf = async (number: number) => (await ask(server, `${TRACES}/details/${spanIdOf(number)}`)).status
  await expect.poll(() => statusOf(5), { timeout: 10_000 }).toBe(404)
  expect([await statusOf(8), await statusOf(0)]).toEqual([404, 200])
  const { body } = await ask(server, USAGE)
  expect(body).toMatchObject({ budgetBytes: null, serverBudgetBytes: 1000 })
  expect(Date.now() - Date.parse(String(body['rawSince']))).toBeLessThan(2 * HOUR_MS)
  expect(server.output()).toContain('its oldest hours were removed')
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('faultline_store_disk_budget_bytes 1000')
})

it('refuses what is older than what is kept, and takes the rest', async () => {
  const refused = async () => {
    const now = { ...span(1), startMs: Date.now() }
    const answer = await sendOtlp(server.url, 'traces', traceRequest([span(6), now]))
    const { partialSuccess } = answer.json() as { partialSuccess?: { rejectedSpans?: string } }
    return Number(partialSuccess?.rejectedSpans ?? 0)
  }
  // What is known of a Grid may be a second old.
  await expect.poll(refused, { timeout: 10_000 }).toBe(1)
  expect((await ask(server, `${TRACES}/details/${spanIdOf(1)}`)).status).toBe(200)
})
