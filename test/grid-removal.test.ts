import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, TRACES } from './api.ts'
import { administratorToken, bearer } from './oauth.ts'
import { sendOtlp, spanIdOf, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'

const span = (number: number) => ({ traceId: traceIdOf(number), spanId: spanIdOf(number), startMs: Date.now() - 1000 })

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-removal-'))
  server = await startServer(dataDir)
  expect((await sendOtlp(server.url, 'traces', traceRequest([span(1)]))).status).toBe(200)
  // Sealed by a stop, so that the Grid has a folder.
  await server.stop()
  server = await startServer(dataDir)
  expect((await sendOtlp(server.url, 'traces', traceRequest([span(2)]))).status).toBe(200)
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

it('a Grid that was removed takes nothing more, and is gone from the disk though the server is killed', async () => {
  expect((await ask(server, `/apm/grids/${GRID_ID}`, { method: 'DELETE' })).status).toBe(204)
  expect((await sendOtlp(server.url, 'traces', traceRequest([span(3)]))).status).toBe(401)
  expect((await ask(server, `${TRACES}/details/${spanIdOf(1)}`)).status).toBe(401)
  await server.kill()
  server = await startServer(dataDir)
  await expect.poll(() => readdir(join(dataDir, 'telemetry', 'grids')), { timeout: 10_000 }).toEqual([])
})

it('is not made anew by the next start, and who removed it can be looked up', async () => {
  const admin = bearer(await administratorToken(server, dataDir))
  expect((await ask(server, '/apm/grids', admin)).body).toMatchObject({ totalCount: 0 })
  const { body } = await ask<{ items: unknown[] }>(server, '/apm/audit', admin)
  expect(body.items).toContainEqual(expect.objectContaining({ action: 'Remove a Grid', gridSecondaryId: GRID_ID }))
  const created = await ask(server, '/apm/grids', { ...admin, body: { name: 'First Grid' } })
  expect(created.status).toBe(201)
  const path = `/apm/traces/${created.body['gridSecondaryId']}/details/${spanIdOf(1)}`
  expect((await ask(server, path, admin)).status).toBe(404)
})
