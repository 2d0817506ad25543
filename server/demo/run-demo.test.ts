import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import protobuf from 'protobufjs'
import { afterEach, describe, expect, it } from 'vitest'
import type { Clock, DemoOptions } from './demo-options.ts'
import { type DemoSummary, runDemo } from './run-demo.ts'

/** As much of the protocol as is needed to count records; the tests do not trust the exporters' own figures. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span { bytes trace_id = 1; bytes span_id = 2; fixed64 start = 7; }
  message Logs { repeated ResourceLogs resource_logs = 1; }
  message ResourceLogs { repeated ScopeLogs scope_logs = 2; }
  message ScopeLogs { repeated LogRecord log_records = 2; }
  message LogRecord { fixed64 time = 1; }
  message Answer { Partial partial_success = 1; }
  message Partial { int64 rejected = 1; string error_message = 2; }
`)

interface ReceivedSpan {
  spanId: Uint8Array
}
interface ReceivedTraces {
  resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[]
}
interface ReceivedLogs {
  resourceLogs: { scopeLogs: { logRecords: unknown[] }[] }[]
}

interface Receiver {
  url: string
  spanIds: string[]
  logCount: number
  requests: string[]
  keys: Set<string>
}

/** Answers a request, or leaves it to the receiver, which then takes the records. */
type Interruption = (request: IncomingMessage, response: ServerResponse) => boolean

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function openReceiver(interrupt: Interruption = () => false): Promise<Receiver> {
  const receiver: Receiver = { url: '', spanIds: [], logCount: 0, requests: [], keys: new Set() }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      receiver.requests.push(request.url ?? '')
      receiver.keys.add(String(request.headers['api-key']))
      if (interrupt(request, response)) return
      take(receiver, request.url ?? '', Buffer.concat(chunks))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

function take(receiver: Receiver, path: string, body: Buffer): void {
  if (path === '/v1/traces') {
    const { resourceSpans } = root.lookupType('Traces').decode(body) as unknown as ReceivedTraces
    for (const { spans } of resourceSpans.flatMap((one) => one.scopeSpans)) {
      for (const { spanId } of spans) receiver.spanIds.push(Buffer.from(spanId).toString('hex'))
    }
  }
  if (path === '/v1/logs') {
    const { resourceLogs } = root.lookupType('Logs').decode(body) as unknown as ReceivedLogs
    for (const { logRecords } of resourceLogs.flatMap((one) => one.scopeLogs)) receiver.logCount += logRecords.length
  }
}

interface Run {
  summary: DemoSummary
  lines: string[]
}

/** Time passes as fast as the demo waits, and the demo ends after so many minutes of it. */
async function run(receiver: Receiver, liveMinutes: number, more: Partial<DemoOptions> = {}): Promise<Run> {
  const stop = new AbortController()
  const lines: string[] = []
  const startMs = Date.UTC(2026, 2, 3, 10)
  let nowMs = startMs
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: async (delayMs) => {
      nowMs += delayMs
      if (nowMs >= startMs + liveMinutes * 60_000) stop.abort()
    },
  }
  const summary = await runDemo({
    endpoint: receiver.url,
    headers: { 'api-key': 'ingest-key' },
    signal: stop.signal,
    print: (line) => lines.push(line),
    rate: 4,
    seed: 'test',
    pastMinutes: 2,
    clock,
    ...more,
  })
  return { summary, lines }
}

describe('the demo', () => {
  it('delivers through the official exporters exactly what it says it did', async () => {
    const receiver = await openReceiver()
    const { summary, lines } = await run(receiver, 1, { incidents: 'none' })
    expect(receiver.spanIds.length).toBeGreaterThan(4000)
    expect(new Set(receiver.spanIds).size).toBe(receiver.spanIds.length)
    expect(summary.spans).toEqual({ acknowledged: receiver.spanIds.length, failed: 0 })
    expect(summary.logs).toEqual({ acknowledged: receiver.logCount, failed: 0 })
    expect(summary.metricPoints.acknowledged).toBeGreaterThan(500)
    expect([...receiver.keys]).toEqual(['ingest-key'])
    expect(summary.planted).toEqual([])
    expect(lines.at(-1)).toContain('0 failed')
  })

  it('plants the first incident within a minute of going live, the next one when it is due, and says so', async () => {
    const receiver = await openReceiver()
    const { summary, lines } = await run(receiver, 5, { pastMinutes: 0, incidentEveryMinutes: 4, incidentMinutes: 2 })
    expect(summary.planted.map(({ kind, service }) => [kind, service])).toEqual([
      ['bad-deployment', 'checkout'],
      ['pool-exhaustion', 'inventory'],
    ])
    const [first, second] = summary.planted.map(
      ({ startedEpochMs }) => (startedEpochMs - Date.UTC(2026, 2, 3, 10)) / 1000,
    )
    expect(first).toBeLessThanOrEqual(60)
    expect((second ?? 0) - (first ?? 0)).toBeCloseTo(240, -1)
    const text = lines.join('\n')
    expect(text).toContain('Planted: bad-deployment in checkout')
    expect(text).toContain('checkout 5.1.3 → 5.2.0')
    expect(text).toContain('faultline query diagnosis')
    expect(text).toContain('Over: bad-deployment in checkout')
  })

  it('plants only the incident that was asked for, at once', async () => {
    const receiver = await openReceiver()
    const { summary } = await run(receiver, 3, { pastMinutes: 0, incidents: 'slow-dependency', incidentMinutes: 1 })
    expect(summary.planted.map(({ kind }) => kind)).toEqual(['slow-dependency'])
    expect(summary.planted[0]?.startedEpochMs).toBe(Date.UTC(2026, 2, 3, 10))
  })

  it('plants it in the service that was asked for', async () => {
    const receiver = await openReceiver()
    const incidents = { kind: 'slow-dependency', service: 'shipping' } as const
    const { summary } = await run(receiver, 0.2, { pastMinutes: 0, incidents })
    expect(summary.planted.map(({ kind, service }) => [kind, service])).toEqual([['slow-dependency', 'shipping']])
  })

  it('sends again what the server was too busy for, and loses nothing', async () => {
    let refusals = 0
    const receiver = await openReceiver((request, response) => {
      if (request.url !== '/v1/traces' || refusals >= 2) return false
      refusals += 1
      response.writeHead(503, { 'retry-after': '1' }).end()
      return true
    })
    const { summary } = await run(receiver, 0.2, { pastMinutes: 1, incidents: 'none' })
    expect(refusals).toBe(2)
    expect(summary.spans).toEqual({ acknowledged: receiver.spanIds.length, failed: 0 })
    expect(new Set(receiver.spanIds).size).toBe(receiver.spanIds.length)
  })

  it('counts and tells what the server would not take', async () => {
    const receiver = await openReceiver((request, response) => {
      if (request.url !== '/v1/traces') return false
      response.writeHead(403).end()
      return true
    })
    const { summary, lines } = await run(receiver, 0.2, { pastMinutes: 1, incidents: 'none' })
    expect(summary.spans.acknowledged).toBe(0)
    expect(summary.spans.failed).toBeGreaterThan(1000)
    expect(summary.logs.failed).toBe(0)
    expect(lines.join('\n')).toContain('spans were not taken: Forbidden (403)')
  })

  it('tells of records that the server refused out of a batch that it took', async () => {
    const answer = root.lookupType('Answer')
    let answered = 0
    const receiver = await openReceiver((request, response) => {
      if (request.url !== '/v1/traces' || answered > 0) return false
      answered += 1
      const partial = { partialSuccess: { rejected: 7, errorMessage: 'older than the retention' } }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' })
      response.end(answer.encode(answer.create(partial)).finish())
      return true
    })
    const { summary, lines } = await run(receiver, 0.2, { pastMinutes: 1, incidents: 'none' })
    expect(summary.rejected).toBe(7)
    expect(lines.join('\n')).toContain('did not keep 7 records: older than the retention')
  })

  it.each([
    [{ rate: 0 }, 'rate is 0, but must be from 1 to 1000 requests a second'],
    [{ pastMinutes: -1 }, 'past is -1, but must be from 0 to 1440 minutes'],
    [{ incidentEveryMinutes: 3 }, 'incident-every is 3, but must be from 8 to 1440 minutes'],
    [
      { incidents: { kind: 'bad-instance', service: 'payments' } } as const,
      'incident-service is payments, but bad-instance strikes in catalog or cart',
    ],
    [{ rate: Number.NaN }, 'rate is NaN, but must be from 1 to 1000 requests a second'],
  ])('refuses %o in words', async (options, message) => {
    const receiver = await openReceiver()
    await expect(run(receiver, 1, options)).rejects.toThrow(message)
    expect(receiver.requests).toEqual([])
  })
})
