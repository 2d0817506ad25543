import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import { type MemoryServer, openMemoryServer } from '../testing/memory-server.ts'
import { type CliResult, faultline } from '../testing/test-shell.ts'
import { encodeProbe, newRunId, probeBatch } from '../verify/probe-batch.ts'

let server: MemoryServer
let folder: string
let key: string

beforeAll(async () => {
  server = await openMemoryServer()
  key = await server.key(['ingest'])
  folder = await mkdtemp(join(tmpdir(), 'faultline-import-'))
})
beforeEach(() => {
  server.exports.length = 0
  server.beforeExport = async () => undefined
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function importing(files: Record<string, string | Uint8Array>, ...args: string[]): Promise<CliResult> {
  const paths = Object.keys(files).map((name) => join(folder, name))
  for (const [i, contents] of Object.values(files).entries()) await writeFile(paths[i] ?? '', contents)
  return faultline(['import', ...paths, ...args], { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: key })
}

/** Requests with one trace of so many spans each, and how to find them again. */
function requests(count: number, spansPerBatch: number, encoding: 'json' | 'protobuf') {
  const run = { id: newRunId(), spansPerBatch }
  const batches = Array.from({ length: count }, (_, number) => probeBatch(run, number))
  return { bodies: batches.map((batch) => Buffer.from(encodeProbe(batch, Date.now(), encoding))), batches }
}

async function storedSpans(traceIds: { traceId: string }[]): Promise<number> {
  const reader = server.store.reader(server.gridId)
  const traces = await Promise.all(traceIds.map(({ traceId }) => reader.traceSpans(traceId, 1000)))
  return traces.reduce((sum, { spans }) => sum + spans.length, 0)
}

describe('importing JSON', () => {
  it('sends all lines in few requests', async () => {
    const { bodies, batches } = requests(50, 20, 'json')
    const { exitCode, stdout } = await importing({ 'x.jsonl': bodies.join('\n') })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1000 records were taken and 0 refused')])
    expect(server.exports).toHaveLength(1)
    expect(await storedSpans(batches)).toBe(1000)
  })

  it('unpacks files, and takes signals as they come', async () => {
    const log = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"${Date.now()}000000","body":{"stringValue":"x"}}]}]}]}`
    const point = `{"timeUnixNano":"${Date.now()}000000","asInt":"1"}`
    const metric = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${point}]}}]}]}]}`
    const both = `{"resourceLogs":[],${metric.slice(1)}`
    const { bodies } = requests(1, 3, 'json')
    const { exitCode, stdout } = await importing(
      { 'x.gz': gzipSync([...bodies, log, '', metric, both].join('\r\n')) },
      '--json',
    )
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ accepted: 6, refused: 0, unreadable: 0, reasons: [] })
    expect(new Set(server.exports.map(({ signal }) => signal))).toEqual(new Set(['traces', 'logs', 'metrics']))
  })

  it('keeps numbers of 64 bits as they are written', async () => {
    const startNs = `${Date.now()}123457`
    const { bodies, batches } = requests(2, 1, 'json')
    const lines = bodies.map((body) =>
      String(body).replace(/"startTimeUnixNano":"\d+"/, `"startTimeUnixNano": ${startNs}`),
    )
    await importing({ 'x.json': lines.join('\n') })
    expect(Buffer.from(server.exports[0]?.body ?? []).toString()).toContain(`"startTimeUnixNano": ${startNs}`)
    expect(await storedSpans(batches)).toBe(2)
  })

  it('takes what it can, names the lines that it cannot read, and exits with 1', async () => {
    const { bodies } = requests(2, 5, 'json')
    const { exitCode, stdout } = await importing({
      'x.json': [bodies[0], '{"resourceSpans": [', '{"a": 1}', bodies[1]].join('\n'),
    })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('10 records were taken and 0 refused')
    expect(stdout).toContain('2 pieces of the files could not be read')
    expect(stdout).toMatch(/x\.json, line 2: not a JSON object/)
    expect(stdout).toMatch(/x\.json, line 3: none of resourceSpans/)
  })

  it('finds the lines that the server refuses, and keeps the others of their batch', async () => {
    const { bodies, batches } = requests(9, 2, 'json')
    const bad = '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":7}]}]}]}'
    const { exitCode, stdout } = await importing({ 'x.json': bodies.toSpliced(4, 0, Buffer.from(bad)).join('\n') })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('18 records were taken and 1 refused')
    expect(stdout).toMatch(/1 × .*x\.json, line 5: /)
    expect(await storedSpans(batches)).toBe(18)
  })

  it('adds up what the server does not keep, with its reasons and what helps', async () => {
    const old = requests(3, 4, 'json').bodies.map((body) =>
      String(body).replaceAll(/UnixNano":"\d+"/g, 'UnixNano":"1000000000000000000"'),
    )
    const { bodies } = requests(1, 2, 'json')
    const { exitCode, stdout } = await importing({ 'x.json': [...old, ...bodies].join('\n') })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('2 records were taken and 12 refused')
    expect(stdout).toMatch(/12 × spans start more than 7 days ago, longer than is kept/)
    expect(stdout).toContain('faultline grids retention')
  })
})

describe('importing protobuf', () => {
  const varint = (value: number): Buffer =>
    value < 0x80
      ? Buffer.of(value)
      : Buffer.concat([Buffer.of((value % 0x80) | 0x80), varint(Math.floor(value / 0x80))])
  const fixed = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const framings: Record<string, (body: Buffer) => Buffer> = {
    'one message': (body) => body,
    'messages behind varints': (body) => Buffer.concat([varint(body.length), body]),
    'messages behind 4 bytes': (body) => Buffer.concat([fixed(body.length), body]),
  }

  it.each(Object.entries(framings))('takes %s', async (_, framed) => {
    const { bodies, batches } = requests(7, 11, 'protobuf')
    const { exitCode, stdout } = await importing({ 'traces-1.pb': Buffer.concat(bodies.map(framed)) })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('77 records were taken and 0 refused')])
    expect(server.exports).toHaveLength(1)
    expect(await storedSpans(batches)).toBe(77)
  })

  it.each(Object.entries(framings))('takes what is whole of %s that break off', async (_, framed) => {
    const { bodies } = requests(3, 2, 'protobuf')
    const whole = Buffer.concat(bodies.map(framed))
    const { exitCode, stdout } = await importing({ 'traces-2.pb': whole.subarray(0, whole.length - 5) })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('4 records were taken and 0 refused')
    expect(stdout).toContain('3, byte')
    expect(stdout).toContain('the file ends within a message')
  })

  it('has to be told what is in a file whose name does not say it', async () => {
    const { bodies } = requests(1, 2, 'protobuf')
    expect(await importing({ 'x.pb': bodies[0] ?? '' })).toMatchObject({ exitCode: 2 })
    expect(await importing({ 'x.pb': bodies[0] ?? '' }, '--signal', 'traces')).toMatchObject({ exitCode: 0 })
  })

  it('reads nothing into what is no protobuf', async () => {
    const { exitCode, stdout } = await importing({ 'logs.bin': Buffer.from('just some text\n') })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('0 records were taken and 0 refused')
    expect(server.exports).toEqual([])
  })
})

describe('importing', () => {
  it('sends again what a busy server turned away', async () => {
    let refusals = 1
    server.beforeExport = async () => {
      if (refusals-- > 0) throw new StoreUnavailable('The disk is full.')
    }
    const { bodies, batches } = requests(1, 4, 'protobuf')
    expect(await importing({ 'traces.pb': bodies[0] ?? '' })).toMatchObject({ exitCode: 0 })
    expect(await storedSpans(batches)).toBe(4)
  })

  it('ends at once, and says why, where nothing would ever be taken', async () => {
    const { bodies } = requests(1, 4, 'protobuf')
    await writeFile(join(folder, 'traces.pb'), bodies[0] ?? '')
    const env = { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: await server.key(['read']) }
    const { exitCode, stderr } = await faultline(['import', join(folder, 'traces.pb')], env)
    expect([exitCode, stderr]).toEqual([1, 'faultline: This API key lacks the scope "ingest".\n'])
  })

  it('looks for all files before it sends any', async () => {
    const { bodies } = requests(1, 4, 'protobuf')
    const { exitCode, stderr } = await importing({ 'traces.pb': bodies[0] ?? '' }, join(folder, 'nowhere'), folder)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('nowhere cannot be read')
    expect(server.exports).toEqual([])
  })

  it('reads standard input', async () => {
    const { bodies } = requests(2, 4, 'json')
    const env = { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: key }
    expect((await faultline(['import', '-'], env, bodies.join('\n'))).stdout).toContain('8 records were taken')
  })
})
