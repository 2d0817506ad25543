import { ask as askApi } from '../api.ts'
import { administratorToken, bearer } from '../oauth.ts'
import type { ServerProcess } from '../server-process.ts'
import { exportRequest, type OtlpRecord, type Signal } from './otlp-records.ts'
import type { Setting } from './scenario.ts'

/** A Grid of its own, with the key that everything about it is asked with. */
export interface TestGrid {
  id: string
  key: string
}

/** Makes new Grids. The token serves for as long as the server runs. */
export async function gridMaker(server: ServerProcess, dataDir: string): Promise<(name: string) => Promise<TestGrid>> {
  const admin = bearer(await administratorToken(server, dataDir))
  return async (name) => {
    const grid = await askApi<{ gridSecondaryId: string }>(server, '/apm/grids', { ...admin, body: { name } })
    const id = grid.body.gridSecondaryId
    const body = { name: 'test', role: 'Owner', scopes: ['read', 'ingest', 'manage'] }
    const key = await askApi<{ secret: string }>(server, `/apm/grids/${id}/keys`, { ...admin, body })
    if (key.status >= 300) throw new Error(`No Grid could be made: ${JSON.stringify([grid.body, key.body])}`)
    return { id, key: key.body.secret }
  }
}

/** Sends records in one request. */
export async function send(
  server: ServerProcess,
  { key }: TestGrid,
  signal: Signal,
  records: OtlpRecord[],
): Promise<void> {
  const response = await fetch(`${server.otlpHttpUrl}/v1/${signal}`, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(exportRequest(signal, records)),
  })
  const text = await response.text()
  if (response.status !== 200 || text.includes('rejected')) throw new Error(`${signal} were refused: ${text}`)
}

/** What comes after the Grid in a path of Diagnostics, or `/chart/its title` for the data of a chart. */
export async function askGrid(
  server: ServerProcess,
  grid: TestGrid,
  path: string,
): Promise<{ status: number; body: unknown }> {
  const [, title, query] = /^\/chart\/([^?]*)(.*)$/.exec(path) ?? []
  if (title === undefined) return await askDiagnostics(server, grid, path)
  const charts = await listCharts(server, grid)
  const chart = charts.find((each) => each.title === decodeURIComponent(title))
  const headers = { 'api-key': grid.key }
  return await askApi(server, `/apm/charts/${grid.id}/charts/${chart?.id}/range-data${query}`, { headers })
}

async function listCharts(server: ServerProcess, { id, key }: TestGrid): Promise<{ id: string; title: string }[]> {
  const path = `/apm/charts/${id}/charts?pageSize=100`
  return (await askApi<{ items: { id: string; title: string }[] }>(server, path, { headers: { 'api-key': key } })).body
    .items
}

export async function makeChart(server: ServerProcess, { id, key }: TestGrid, body: object): Promise<void> {
  const made = await askApi(server, `/apm/charts/${id}/charts`, { method: 'POST', body, headers: { 'api-key': key } })
  if (made.status >= 300) throw new Error(`the chart was refused: ${JSON.stringify(made.body)}`)
}

export async function askDiagnostics(
  server: ServerProcess,
  grid: TestGrid,
  path: string,
): Promise<{ status: number; body: unknown }> {
  return await askApi(server, `/apm/diagnostics/${grid.id}${path}`, { headers: { 'api-key': grid.key } })
}

export async function setGrid(server: ServerProcess, grid: TestGrid, { method, path, body }: Setting): Promise<void> {
  await manage(server, grid, path, { method, body })
}

export async function acknowledge(server: ServerProcess, grid: TestGrid, ruleName: string): Promise<void> {
  const { body } = await askDiagnostics(server, grid, '/alerts')
  const alerts = (body as { alerts: { id: string; ruleName: string }[] }).alerts
  const own = alerts.filter((alert) => alert.ruleName === ruleName)
  if (own.length === 0) throw new Error(`${ruleName} does not fire`)
  for (const { id } of own) await manage(server, grid, `alerts/${id}/acknowledge`, { method: 'POST', body: {} })
}

async function manage(
  server: ServerProcess,
  { id, key }: TestGrid,
  path: string,
  asking: { method: string; body: object },
): Promise<void> {
  const answer = await askApi(server, `/apm/grids/${id}/${path}`, { ...asking, headers: { 'api-key': key } })
  if (answer.status >= 300) throw new Error(`${path} was refused: ${JSON.stringify(answer.body)}`)
}

/** Resolves once no row waits to be sealed: a server that starts seals what its predecessor left. */
export async function untilSealed({ url }: ServerProcess): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    if (/^faultline_store_unsealed_rows 0$/m.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
