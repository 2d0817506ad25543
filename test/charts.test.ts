import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from './api.ts'
import { GRID_ID, OWNER_KEY, type ServerProcess, startServer } from './server-process.ts'

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-charts-'))
  server = await startServer(dataDir)
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function picture(chartId: string, query: string): Promise<{ response: Response; bytes: Buffer }> {
  const url = `${server.url}/apm/charts/${GRID_ID}/charts/${chartId}/render?api-version=2.0&${query}`
  const response = await fetch(url, { headers: { 'api-key': OWNER_KEY } })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

it('draws the charts of the first dashboard, each time the same', async () => {
  const { body } = await ask<{ items: { charts: { chartId: string }[] }[] }>(
    server,
    `/apm/dashboards/${GRID_ID}/dashboards`,
  )
  const charts = body.items[0]?.charts ?? []
  expect(charts).toHaveLength(5)
  const range = 'rangeStart=2026-03-01T11:00:00Z&rangeEnd=2026-03-01T12:00:00Z&width=300&height=200'
  for (const { chartId } of charts) {
    const { response, bytes } = await picture(chartId, range)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([300, 200])
    expect((await picture(chartId, range)).bytes.equals(bytes)).toBe(true)
  }
})
