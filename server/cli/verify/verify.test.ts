import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import { createApiClient } from '../api-client.ts'
import { keyCredential } from '../connect.ts'
import { createOtlpClient } from '../otlp-client.ts'
import { type MemoryServer, openMemoryServer } from '../testing/memory-server.ts'
import { faultline } from '../testing/test-shell.ts'
import { compare, type ReadSpan } from './compare.ts'
import { newRunId, PROBE_SERVICE, probeBatch } from './probe-batch.ts'
import { verify } from './verify.ts'

let server: MemoryServer
let key: string

beforeAll(async () => {
  server = await openMemoryServer()
  key = await server.key()
})
beforeEach(() => {
  server.exports.length = 0
  server.beforeExport = async () => undefined
})
afterAll(() => server.close())

/** Writes until the server has seen a few batches. */
async function run(
  encoding: 'json' | 'protobuf',
  afterExports: (count: number) => Promise<void> = async () => undefined,
) {
  const stop = new AbortController()
  const patience = { patienceMs: 5_000, waitsForServer: true }
  const { beforeExport } = server
  server.beforeExport = async (request) => {
    await beforeExport(request)
    await afterExports(server.exports.length)
    if (server.exports.length >= 5) stop.abort()
  }
  return verify({
    writer: createOtlpClient({ url: server.url, apiKey: key, patience }),
    reader: createApiClient({ url: server.url, credential: keyCredential(key), patience }),
    gridPath: server.gridId,
    encoding,
    rate: 100,
    batchesPerSecond: 20,
    stop,
    onProgress: () => undefined,
  })
}

describe('verifying', () => {
  it.each(['json', 'protobuf'] as const)(
    'finds every span of a server that loses none, sent as %s',
    async (encoding) => {
      const { ledger, failure } = await run(encoding)
      expect(failure).toBeUndefined()
      expect(ledger.counts.acknowledged).toBeGreaterThanOrEqual(25)
      expect(ledger.counts.checked).toBe(ledger.counts.acknowledged)
      expect(ledger.isClean()).toBe(true)
    },
  )

  it('reports what was there and is lost', async () => {
    const { ledger } = await run('protobuf', async (count) => {
      if (count === 4) await server.store.dropGrid(server.gridId)
    })
    expect(ledger.counts.lost).toBeGreaterThanOrEqual(5)
    expect(ledger.counts.lost).toBeLessThan(ledger.counts.acknowledged)
    expect(ledger.isClean()).toBe(false)
  })

  it('takes a batch that was turned away for acknowledged only when it was', async () => {
    server.beforeExport = async () => {
      if (server.exports.length === 2) throw new StoreUnavailable('Starting again.')
    }
    const { ledger, failure } = await run('protobuf')
    expect(failure).toBeUndefined()
    expect(ledger.isClean()).toBe(true)
  })

  it('fails where the key may not read', async () => {
    const env = { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: await server.key(['ingest']) }
    const { exitCode, stderr } = await faultline(['verify', '--seconds', '1', '--rate', '10'], env)
    expect([exitCode, stderr]).toEqual([1, 'faultline: This needs an API key with the scope read.\n'])
  })
})

describe('a batch that is read back', () => {
  const batch = probeBatch({ id: newRunId(() => 0.5), spansPerBatch: 3 }, 7)
  const read = batch.spans.map(
    ({ spanId, parentSpanId, name }): ReadSpan => ({
      spanId,
      parentSpanId,
      operationName: name,
      serviceName: PROBE_SERVICE,
    }),
  )
  const [first, second, third] = read

  it('differs by what is missing, what is too much, and what is not as it was sent', () => {
    expect(compare(batch, read)).toEqual({ missing: 0, surplus: 0, altered: 0 })
    expect(compare(batch, read.slice(1))).toEqual({ missing: 1, surplus: 0, altered: 0 })
    expect(compare(batch, [...read, ...read.slice(2)])).toEqual({ missing: 0, surplus: 1, altered: 0 })
    expect(compare(batch, [])).toEqual({ missing: 3, surplus: 0, altered: 0 })
    if (!first || !second || !third) return expect.unreachable()
    const strange = [first, { ...second, parentSpanId: null }, { ...third, operationName: 'other' }]
    expect(compare(batch, strange)).toEqual({ missing: 0, surplus: 0, altered: 2 })
  })

  it('has ids of its own', () => {
    const run = { id: newRunId(), spansPerBatch: 100 }
    const ids = [0, 1, 2, 1_000_000].flatMap((number) => probeBatch(run, number).spans.map(({ spanId }) => spanId))
    expect(new Set(ids).size).toBe(400)
    expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true)
    expect(probeBatch(run, 0).traceId).toMatch(/^[0-9a-f]{32}$/)
  })
})
