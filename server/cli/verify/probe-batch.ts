import type { Encoding } from '../../ingest/ingest.ts'
import { ProtoWriter } from '../../ingest/otlp/proto-writer.ts'
import { BYTES, FIXED64, VARINT } from '../../ingest/otlp/wire-reader.ts'

export const PROBE_SERVICE = 'faultline-verify'

const INDEX_BITS = 20n
const INTERNAL_KIND = 1
const DURATION_NS = 1_000_000n
/** Few, since a Grid lists its operations. */
const NAMES = 10

/** One trace, sent in one request. All of it follows from its number, so that nothing else has to be remembered. */
export interface ProbeBatch {
  traceId: string
  spans: ProbeSpan[]
}

export interface ProbeSpan {
  spanId: string
  parentSpanId: string | null
  name: string
}

/** What all batches of a run have in common. */
export interface ProbeRun {
  id: bigint
  spansPerBatch: number
}

/** 62 bits that tell one run from all others. */
export function newRunId(random: () => number = Math.random): bigint {
  const half = (): bigint => BigInt(Math.floor(random() * 2 ** 31))
  return (half() << 31n) | half()
}

export function probeBatch({ id, spansPerBatch }: ProbeRun, number: number): ProbeBatch {
  const traceId = hex((id << 64n) | BigInt(number + 1), 32)
  const idOf = (index: number): string => hex(id ^ HIGHEST_BIT ^ ((BigInt(number) << INDEX_BITS) | BigInt(index)), 16)
  const root = idOf(0)
  const spans = Array.from({ length: spansPerBatch }, (_, index) => ({
    spanId: idOf(index),
    parentSpanId: index === 0 ? null : root,
    name: `probe ${index % NAMES}`,
  }))
  return { traceId, spans }
}

/** Keeps an id from being zero, which stands for none. */
const HIGHEST_BIT = 1n << 63n

function hex(value: bigint, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

export function encodeProbe(batch: ProbeBatch, startMs: number, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const startNs = BigInt(startMs) * 1_000_000n
  return encoding === 'json' ? asJson(batch, startNs) : asProtobuf(batch, startNs)
}

function asJson({ traceId, spans }: ProbeBatch, startNs: bigint): Uint8Array<ArrayBuffer> {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: PROBE_SERVICE } }] }
  const listed = spans.map(({ spanId, parentSpanId, name }) => ({
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: INTERNAL_KIND,
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(startNs + DURATION_NS),
  }))
  const request = { resourceSpans: [{ resource, scopeSpans: [{ spans: listed }] }] }
  return new TextEncoder().encode(JSON.stringify(request))
}

function asProtobuf({ traceId, spans }: ProbeBatch, startNs: bigint): Uint8Array<ArrayBuffer> {
  const writer = new ProtoWriter()
  const text = (field: number, value: string): void => {
    writer.tag(field, BYTES)
    writer.string(value)
  }
  const id = (field: number, value: string): void => {
    writer.tag(field, BYTES)
    writer.blob(Buffer.from(value, 'hex'))
  }
  const time = (field: number, ns: bigint): void => {
    writer.tag(field, FIXED64)
    writer.fixed64(ns)
  }
  const writeSpan = ({ spanId, parentSpanId, name }: ProbeSpan): void => {
    id(1, traceId)
    id(2, spanId)
    if (parentSpanId !== null) id(4, parentSpanId)
    text(5, name)
    writer.tag(6, VARINT)
    writer.varint(INTERNAL_KIND)
    time(7, startNs)
    time(8, startNs + DURATION_NS)
  }
  writer.message(1, () => {
    // A resource that has one attribute, which has a key and a value, which has a text.
    writer.message(1, () =>
      writer.message(1, () => {
        text(1, 'service.name')
        writer.message(2, () => text(1, PROBE_SERVICE))
      }),
    )
    writer.message(2, () => {
      for (const span of spans) writer.message(2, () => writeSpan(span))
    })
  })
  return new Uint8Array(writer.finish())
}
