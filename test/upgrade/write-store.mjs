// Writes a small data folder with the program of another commit: `node write-store.mjs CHECKOUT FOLDER`, the checkout built.
// One set of records is sealed, another is left in its open file by a `kill -9`. See README.md.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [checkout, folder] = process.argv.slice(2)
const GRID_ID = '3f0b6c1e-52a4-4d6f-9a50-6c7d2b8e9f10'
const OWNER_KEY = 'owner-key-of-the-tests-0123456789'
const HOUR_MS = 3_600_000
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 4 * HOUR_MS

const id = (number, digits) => number.toString(16).padStart(digits, '0')
const ns = (ms) => `${ms}000000`
const text = (key, stringValue) => ({ key, value: { stringValue } })
const resourceOf = (service) => ({ attributes: [text('service.name', service), text('service.version', '1.0')] })

function span({ trace, no, parent, service, atMs, name, kind = 2, failed = false, ...rest }) {
  const exception = {
    timeUnixNano: ns(atMs + 5),
    name: 'exception',
    attributes: [text('exception.type', 'OutOfStock')],
  }
  const span = {
    traceId: id(trace, 32),
    spanId: id(no, 16),
    ...(parent ? { parentSpanId: id(parent, 16) } : {}),
    name,
    kind,
    startTimeUnixNano: ns(atMs),
    endTimeUnixNano: ns(atMs + 100),
    attributes: [text('http.route', name), text('no', String(no))],
    ...(failed ? { status: { code: 2, message: 'none left' }, events: [exception] } : {}),
    ...rest,
  }
  return { resource: resourceOf(service), scopeSpans: [{ scope: { name: 'tests', version: '1' }, spans: [span] }] }
}

const SEALED = [
  span({ trace: 1, no: 1, service: 'shop', atMs: startMs + 600_000, name: 'GET /cart' }),
  span({ trace: 1, no: 2, parent: 1, service: 'shop', atMs: startMs + 600_010, name: 'GET', kind: 3 }),
  span({ trace: 1, no: 3, parent: 2, service: 'stock', atMs: startMs + 600_020, name: 'GET /left', failed: true }),
  // A trace of two hours.
  span({ trace: 2, no: 4, service: 'shop', atMs: startMs + 2 * HOUR_MS - 10, name: 'GET /cart' }),
  span({ trace: 2, no: 5, parent: 4, service: 'stock', atMs: startMs + 2 * HOUR_MS + 10, name: 'GET /left' }),
]
const OPEN = [
  span({ trace: 3, no: 6, service: 'shop', atMs: startMs + 2 * HOUR_MS + 60_000, name: 'GET /cart', failed: true }),
  span({
    trace: 4,
    no: 7,
    service: 'shop',
    atMs: startMs + 3 * HOUR_MS,
    name: 'POST /order',
    links: [{ traceId: id(1, 32), spanId: id(1, 16) }],
  }),
  // Late, of a trace that is sealed.
  span({ trace: 1, no: 8, parent: 1, service: 'mail', atMs: startMs + 600_030, name: 'POST /send' }),
]

async function start() {
  const child = spawn(process.execPath, [join(checkout, 'bin', 'faultline.cjs'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      FAULTLINE_PORT: '18080',
      FAULTLINE_OTLP_HTTP_PORT: '18081',
      FAULTLINE_OTLP_GRPC_PORT: '18082',
      FAULTLINE_DATA_DIR: folder,
      FAULTLINE_GRID_ID: GRID_ID,
      FAULTLINE_API_KEY: OWNER_KEY,
      FAULTLINE_ADMIN_PASSWORD: 'a password of the tests',
    },
  })
  for (;;) {
    const ready = await fetch('http://127.0.0.1:18080/readyz').catch(() => undefined)
    if (ready?.status === 200) break
    await sleep(100)
  }
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

async function post(path, body, method = 'POST') {
  const headers = { 'api-key': OWNER_KEY, 'content-type': 'application/json', 'x-api-version': '2.0' }
  const response = await fetch(`http://127.0.0.1:18080${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

async function send(spans, atMs, word) {
  const resource = resourceOf('shop')
  const timeUnixNano = ns(atMs)
  await post('/v1/traces', { resourceSpans: spans })
  const logRecords = [{ timeUnixNano, severityNumber: 9, body: { stringValue: word }, traceId: id(1, 32) }]
  await post('/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })
  const histogram = { count: '3', sum: 6, bucketCounts: ['1', '2'], explicitBounds: [1] }
  const metrics = [
    { name: 'queue.length', gauge: { dataPoints: [{ timeUnixNano, asInt: word.length }] } },
    {
      name: 'waits',
      histogram: {
        aggregationTemporality: 1,
        dataPoints: [{ timeUnixNano, startTimeUnixNano: timeUnixNano, ...histogram }],
      },
    },
  ]
  await post('/v1/metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] })
}

let kill = await start()
const key = await post(`/apm/grids/${GRID_ID}/keys`, { name: 'reader', role: 'Guest', scopes: ['read'] })
await post(`/apm/grids/${GRID_ID}/retention`, { rawDays: 3, aggregateDays: 30 }, 'PUT')
await post(`/apm/grids/${GRID_ID}/members/ann@example.com`, { role: 'User' }, 'PUT')
await send(SEALED, startMs + 600_000, 'sealed')
await kill()
// The next process seals what this one has left.
kill = await start()
const openFiles = () => readdirSync(join(folder, 'telemetry', 'open')).filter((name) => name.endsWith('.duckdb'))
while (openFiles().length > 1) await sleep(100)
await send(OPEN, startMs + 2 * HOUR_MS, 'open')
await kill()
writeFileSync(join(folder, 'written.json'), JSON.stringify({ startMs, readerKey: key.secret }))
