import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MemoryServer, openMemoryServer } from '../testing/memory-server.ts'
import { type CliResult, faultline } from '../testing/test-shell.ts'

let server: MemoryServer
let env: Record<string, string>

const TRACE = '5b8efff798038103d269b633813fc60c'
const ROOT = 'eee19b7ec3c1b174'
const CHILD = 'eee19b7ec3c1b175'

beforeAll(async () => {
  server = await openMemoryServer()
  env = { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: await server.key() }
  await faultline(['import', '-'], env, JSON.stringify(request(Date.now() - 1000)))
})
afterAll(() => server.close())

function request(startMs: number): object {
  const times = (fromMs: number, toMs: number) => ({
    startTimeUnixNano: `${startMs + fromMs}000000`,
    endTimeUnixNano: `${startMs + toMs}000000`,
  })
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const exception = {
    name: 'exception',
    timeUnixNano: `${startMs + 60}000000`,
    attributes: [text('exception.type', 'TimeoutError'), text('exception.message', 'too\nslow')],
  }
  const spans = [
    { traceId: TRACE, spanId: ROOT, name: 'GET /cart', kind: 2, ...times(0, 120) },
    {
      traceId: TRACE,
      spanId: CHILD,
      parentSpanId: ROOT,
      name: 'SELECT',
      kind: 3,
      ...times(20, 70),
      status: { code: 2 },
      attributes: [text('db.system', 'postgresql')],
      events: [exception],
    },
  ]
  return { resourceSpans: [{ resource: { attributes: [text('service.name', 'shop')] }, scopeSpans: [{ spans }] }] }
}

function metrics(timeMs: number): object {
  const point = (asDouble: number, attributes: object[] = []) => ({
    timeUnixNano: `${timeMs}000000`,
    asDouble,
    attributes,
  })
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const pool = text('pool', 'pay\nprimary')
  const gauge = (name: string, ...dataPoints: object[]) => ({ name, gauge: { dataPoints } })
  const all = [
    gauge('hikaricp.connections.active', point(19, [pool])),
    gauge('hikaricp.connections.max', point(20, [pool])),
    gauge('hikaricp.connections.pending', point(3, [pool])),
    gauge('nodejs.eventloop.utilization', point(0.815)),
  ]
  const resource = { attributes: [text('service.name', 'shop')] }
  return { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: all }] }] }
}

function logRecords(timeMs: number): object {
  const record = (n: number) => ({
    timeUnixNano: `${timeMs + n}000000`,
    severityNumber: 17,
    body: { stringValue: `payment ${16 + n} is lost` },
    attributes: [{ key: 'try', value: { intValue: n } }],
    traceId: TRACE,
    spanId: CHILD,
  })
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'pay' } }] }
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record(1), record(2)] }] }] }
}

function query(...args: string[]): Promise<CliResult> {
  return faultline(['query', ...args], env)
}

describe('a question', () => {
  it('about health is answered with a line for each service', async () => {
    const { exitCode, stdout } = await query('health')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^healthy at \S+Z\n\nSERVICE .*\nshop {5}healthy +1 +0 % +1\.00 +120 ms\n$/)
    expect((await query('health', '--at', '2020-01-01T00:00:00Z')).stdout).toContain('no service has sent anything')
  })

  it('about changes and the timeline is answered with a line for each', async () => {
    expect((await query('changes')).stdout).toBe('Nothing has changed.\n')
    expect((await query('timeline')).stdout).toBe('Nothing notable happened.\n')
    const common = { atMs: Date.now() - 60_000, severity: 'info', serviceName: 'shop', details: {} } as const
    const versions = { previousVersion: '1.0', currentVersion: '1.1' }
    await server.control.events.record(
      server.gridId,
      [
        { ...common, key: 'a', type: 'deployment', description: 'deployed version 1.1', details: versions },
        { ...common, key: 'b', type: 'anomaly', severity: 'critical', description: 'error rate rose' },
        { ...common, key: 'c', type: 'alert', severity: 'critical', serviceName: '', description: 'High Error Rate' },
      ],
      Date.now(),
    )
    expect((await query('changes')).stdout).toMatch(
      /^TIME .*IMPACT\n\S+Z {2}shop +deployment {2}1\.0 → 1\.1 +0% +0% {2}neutral\n$/,
    )
    expect((await query('timeline')).stdout).toMatch(
      /^TIME .*\n\S+Z {2}info +deployment {2}shop +deployed version 1\.1\n\S+Z {2}critical +anomaly +shop +error rate rose\n\S+Z {2}critical +alert +- +High Error Rate\n$/,
    )
    expect((await query('changes', '--at', '2020-01-01T00:00:00Z')).stdout).toBe('Nothing has changed.\n')
  })

  it('about pressure is answered with a line for each thing at its limit', async () => {
    expect((await query('pressure')).stdout).toBe('Nothing is at its limit.\n')
    await faultline(['import', '-'], env, JSON.stringify(metrics(Date.now() - 1000)))
    const { exitCode, stdout } = await query('pressure', '--window', '5')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^SEVERITY +SERVICE +TYPE +RESOURCE +USED +LIMIT +WAITING +SINCE\n/)
    expect(stdout).toMatch(/\ncritical +shop +connection_pool +pay\\nprimary +95 % +20 +3 +\S+Z\n/)
    expect(stdout).toMatch(/\nwarning +shop +event_loop +event loop +81\.5 % +- +0 +\S+Z\n$/)
  })

  it('about trends is answered with a line for each figure', async () => {
    const { stdout } = await query('trends')
    expect(stdout).toMatch(/^FIGURE +BEFORE +NOW +CHANGE +TREND\nlatency p50 +0 ms +120 ms +- +-\n/)
    expect(stdout).toMatch(/latency p95 +0 ms +120 ms +0 % +stable\n.*error rate +0 % +0 % +0 % +stable\nthroughput/s)
  })

  it('about services shows who calls whom', async () => {
    const { stdout } = await query('services')
    expect(stdout).toMatch(/shop +SERVER +1 +0 %\n\nCALLER .*\nshop +postgresql +1 +100 % +50 ms\n$/)
    expect((await query('services', '--at', '2020-01-01T00:00:00Z')).stdout).toBe('No service has sent anything.\n')
  })

  it('about a service shows its endpoints, errors and dependencies', async () => {
    const { stdout } = await query('service', 'shop')
    expect(stdout).toMatch(/^Service +shop\nStatus +healthy\nApdex +1\.00\nErrors +0 %\nRequests +1\n\nENDPOINT/)
    expect(stdout).toMatch(/GET \/cart +1 +0 % +120 ms +120 ms\n\nERRORS .*\n +1 +100 % +TimeoutError +too\\nslow\n/)
    expect(stdout).toMatch(/postgresql +degraded +100 % +50 ms\n$/)
    const unknown = await query('service', 'a/b c')
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, 'faultline: This Grid has no spans of the service a/b c.\n'])
  })

  it('about the slowest endpoints ranks them', async () => {
    expect((await query('slowest-endpoints')).stdout).toMatch(
      /\n +1 +shop +GET \/cart +120 ms +120 ms +120 ms +1 +0 %\n$/,
    )
    expect((await query('slowest-endpoints', '--window', '1', '--at', '2020-01-01T00:00:00Z')).stdout).toBe(
      'No endpoint was asked.\n',
    )
  })

  it('that compares two windows shows both, and what became worse', async () => {
    const now = Date.now()
    const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString()
    const windows = ['--current-start', at(10), '--current-end', at(0), '--baseline-start', at(20)]
    const { stdout } = await query('compare', ...windows, '--baseline-end', at(10))
    expect(stdout).toMatch(/^baseline \S+Z to \S+Z\ncurrent {2}\S+Z to \S+Z\n\nFIGURE/)
    expect(stdout).toMatch(/latency average +0 ms +120 ms +\+100 %\n.*Nothing became significantly worse\.\n$/s)
    expect(await query('compare', ...windows)).toMatchObject({ exitCode: 2 })
  })

  it('for traces finds those that match', async () => {
    const { stdout } = await query('search', '--service', 'shop', '--tag', 'db.system=postgresql')
    expect(stdout).toContain(`${TRACE}  shop     SELECT     ERROR      50 ms\n\n1 trace matches, page 1 of 1.`)
    expect((await query('search', '--min-duration', '500')).stdout).toBe('No trace matches.\n')
    expect((await query('search', '--page', '7')).stdout).toContain('the last page is 1')
  })

  it('about a trace shows which span caused which', async () => {
    const lines = (await query('trace', TRACE)).stdout.split('\n')
    expect(lines[1]).toBe(`${ROOT}    0 ms    120 ms  OK      SERVER  shop: GET /cart`)
    expect(lines[2]).toBe(`${CHILD}   20 ms     50 ms  ERROR   CLIENT    shop: SELECT`)
  })

  it('about a span shows all that is known of it', async () => {
    expect((await query('span', CHILD)).stdout).toMatch(/Parent +eee19b7ec3c1b174\n.*db\.system +postgresql/s)
    expect((await query('span-tags', CHILD)).stdout).toBe('db.system  postgresql\n')
    expect((await query('span-events', CHILD)).stdout).toMatch(/Z {2}exception {2}\{"exception\.type":"TimeoutError"/)
    expect((await query('trace-errors', TRACE)).stdout).toMatch(/shop +TimeoutError {2}too\\nslow\n$/)
    expect((await query('trace-logs', TRACE)).stdout).toBe('This trace has no logs.\n')
  })

  it('for what can be filtered by lists what is there', async () => {
    expect((await query('filters')).stdout).toMatch(/service +shop\noperation +GET \/cart\noperation +SELECT\nstatus/)
  })

  it('for logs finds those in which all words occur', async () => {
    await faultline(['import', '-'], env, JSON.stringify(logRecords(Date.now() - 1000)))
    const { stdout } = await query('logs', 'PAYMENT', 'lost', '--severity', 'Error', '--attribute', 'try=2')
    expect(stdout).toMatch(
      /^TIME .*\n\S+Z {2}Error +pay +[0-9a-f]{32} {2}payment 18 is lost\n\n1 log entry matches, page/,
    )
    expect((await query('logs', '--span', CHILD)).stdout).toContain('2 log entries match, page 1 of 1.')
    expect((await query('logs', 'nothing')).stdout).toBe('No log entry matches.\n')
    expect(await query('logs', '--severity', 'error')).toMatchObject({ exitCode: 2 })
  })

  it('about a log entry shows all that is known of it', async () => {
    const { stdout } = await query('log', CHILD)
    expect(stdout).toMatch(
      /^Id +[0-9a-f]{32}\n.*Severity +Error \(17\)\n.*Body +payment 17 is lost\n\ntry +1\n\nservice\.name/s,
    )
    expect((await query('log', '0000000000000001')).exitCode).toBe(1)
  })

  it('about what logs say shows each statement once', async () => {
    expect((await query('log-patterns', 'payment')).stdout).toMatch(
      /^COUNT .*\n +2 {2}Error +pay +\S+Z {2}payment <\*> is lost\n\n1 pattern matches, page 1 of 1\.\n$/,
    )
    expect((await query('log-filters')).stdout).toMatch(/severity +Error\nservice +pay\nattribute +service\.name\n/)
  })

  it('is answered with the JSON of the API on request', async () => {
    const { stdout } = await query('trace', TRACE.toUpperCase(), '--json')
    expect(JSON.parse(stdout)).toMatchObject({ traceId: TRACE, spans: [{ spanId: ROOT }, { spanId: CHILD }] })
  })

  it('that cannot be answered says why', async () => {
    const { exitCode, stderr } = await query('span', '0000000000000001')
    expect([exitCode, stderr]).toEqual([1, 'faultline: This Grid has no span 0000000000000001.\n'])
    expect((await query('trace', '../../x')).stderr).toBe('faultline: traceId must be 32 hex digits.\n')
  })
})
