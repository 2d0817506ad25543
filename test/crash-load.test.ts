import { beforeAll, describe, expect, test } from 'vitest'
import { type Batch, SpanGenerator } from '../bench/load/span-generator.ts'
import { BATCHES_PER_WINDOW } from '../bench/load/window-template.ts'
import { SpanColumns } from '../server/domain/columns/span-columns.ts'
import { decodeTraces } from '../server/ingest/otlp/decode-traces.ts'

const START_NS = 1_800_000_000_000_000_000n
const SECOND_NS = 1_000_000_000
const LIMITS = { oldestNs: START_NS, newestNs: START_NS + 3_600_000_000_000n, nowNs: START_NS }
const SPANS_PER_BATCH = 256

function createGenerator(seed: number): SpanGenerator {
  const timeOf = () => ({ baseNs: START_NS, lengthNs: SECOND_NS })
  return new SpanGenerator({ seed, spansPerBatch: SPANS_PER_BATCH, timeOf })
}

function nextBatch(generator: SpanGenerator): Batch {
  return generator.next(Buffer.alloc(generator.bodyBytesMax))
}

interface Seen {
  traceId: string
  id: string
  parentId: string
  failed: boolean
  attributes: Record<string, unknown>
  startsInWindow: boolean
}

function decoded(body: Buffer): { seen: Seen[]; rejected: number } {
  const columns = new SpanColumns()
  const { rejected } = decodeTraces(body, LIMITS, columns)
  const hex = (ids: Uint8Array, row: number, width: number) =>
    Buffer.from(ids.subarray(row * width, (row + 1) * width)).toString('hex')
  const seen = Array.from({ length: columns.length }, (_, row) => ({
    traceId: hex(columns.traceIds, row, 16),
    id: hex(columns.spanIds, row, 8),
    parentId: hex(columns.parentIds, row, 8),
    failed: columns.statuses[row] === 2,
    attributes: JSON.parse(columns.attributes.textOf(row)),
    startsInWindow: (columns.startNs[row] ?? 0n) >= START_NS,
  }))
  return { seen, rejected }
}

describe('the load that the server is measured and crashed with', () => {
  let generator: SpanGenerator
  let spans: Seen[]

  beforeAll(() => {
    generator = createGenerator(1)
    const batches = Array.from({ length: BATCHES_PER_WINDOW * 2 }, () => decoded(nextBatch(generator).body))
    expect(batches.reduce((sum, { rejected }) => sum + rejected, 0)).toBe(0)
    spans = batches.flatMap(({ seen }) => seen)
  })

  test('has spans of the size and the shape that it is meant to have', () => {
    expect(spans).toHaveLength(SPANS_PER_BATCH * BATCHES_PER_WINDOW * 2)
    expect(generator.bytesPerSpan).toBeGreaterThan(500)
    expect(generator.bytesPerSpan).toBeLessThan(650)
    expect(generator.services).toHaveLength(50)
    const failed = spans.filter((span) => span.failed).length / spans.length
    expect(failed).toBeGreaterThan(0.01)
    expect(failed).toBeLessThan(0.04)
    expect(new Set(spans.map(({ attributes }) => Object.keys(attributes).length))).toEqual(new Set([12]))
    expect(spans.every(({ startsInWindow }) => startsInWindow)).toBe(true)
  })

  test('has whole traces, whose spans have ids of their own and parents of the same trace', () => {
    const traceOf = new Map(spans.map(({ id, traceId }) => [id, traceId]))
    expect(traceOf.size).toBe(spans.length)
    const roots = spans.filter(({ parentId }) => parentId === '0000000000000000')
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(roots.length)
    expect(spans.length / roots.length).toBeGreaterThan(6)
    expect(spans.length / roots.length).toBeLessThan(10)
    const orphans = spans.filter((span) => !roots.includes(span) && traceOf.get(span.parentId) !== span.traceId)
    expect(orphans).toEqual([])
  })

  test('says which spans a request has', () => {
    const batch = nextBatch(generator)
    const ids = batch.ids().toString('hex')
    const { seen } = decoded(batch.body)
    expect(ids).toBe(seen.map(({ traceId, id }) => traceId + id).join(''))
  })

  test('is the same for the same seed, and another one for another', () => {
    const bodies = [3, 3, 4].map((seed) => nextBatch(createGenerator(seed)).body)
    expect(bodies[0]?.equals(bodies[1] ?? Buffer.alloc(0))).toBe(true)
    expect(bodies[0]?.equals(bodies[2] ?? Buffer.alloc(0))).toBe(false)
  })
})
