import type { Encoding, Signal } from '../ingest/ingest.ts'
import { BYTES, tagOf, VARINT, WireReader } from '../ingest/otlp/wire-reader.ts'
import { send } from './api-client.ts'
import { RequestFailed, retryAfterMsOf, unreachable } from './request-failed.ts'
import { type Patience, retrying } from './retry.ts'

/** What the server did not keep of a batch that it took. */
export interface Acknowledgement {
  rejected: number
  reason: string
}

export interface OtlpClient {
  /** Resolves once the server has acknowledged the batch. Rejects with `RequestFailed`. */
  send(signal: Signal, encoding: Encoding, body: Uint8Array<ArrayBuffer>): Promise<Acknowledgement>
}

export interface OtlpClientOptions {
  url: string
  apiKey: string
  patience: Patience
}

const MEDIA_TYPES: Record<Encoding, string> = { protobuf: 'application/x-protobuf', json: 'application/json' }
const ANSWER_TIMEOUT_MS = 60_000
/** As OpenTelemetry's protocol has it; all others are final. */
const PASSING_STATUSES = [429, 502, 503, 504]

export function createOtlpClient({ url, apiKey, patience }: OtlpClientOptions): OtlpClient {
  return {
    send: (signal, encoding, body) =>
      retrying(async () => {
        const headers = { 'api-key': apiKey, 'content-type': MEDIA_TYPES[encoding] }
        const response = await send(`${url}/v1/${signal}`, { method: 'POST', headers, body }, ANSWER_TIMEOUT_MS)
        const answer = await bytesOf(response)
        if (!response.ok) throw refusalOf(response, answer)
        return acknowledgementOf(answer, encoding)
      }, patience),
  }
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(
    await response.arrayBuffer().catch((error: unknown) => {
      throw unreachable(response.url, error)
    }),
  )
}

function refusalOf(response: Response, answer: Uint8Array): RequestFailed {
  const { status, statusText, headers, url } = response
  const encoding = headers.get('content-type')?.startsWith(MEDIA_TYPES.protobuf) ? 'protobuf' : 'json'
  const words = statusMessage(answer, encoding) || `${new URL(url).origin} answered ${status} ${statusText}`.trimEnd()
  const kind = PASSING_STATUSES.includes(status) ? 'busy' : 'refused'
  return new RequestFailed(kind, words, status, retryAfterMsOf(headers, Date.now()))
}

/** The message of a google.rpc.Status; empty where the answer is something else. */
function statusMessage(answer: Uint8Array, encoding: Encoding): string {
  try {
    if (encoding === 'protobuf') return textField(answer, 2)
    const { message } = JSON.parse(new TextDecoder().decode(answer)) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

function acknowledgementOf(answer: Uint8Array, encoding: Encoding): Acknowledgement {
  try {
    return encoding === 'protobuf' ? fromProtobuf(answer) : fromJson(new TextDecoder().decode(answer))
  } catch {
    throw new RequestFailed('refused', 'The server answered with something other than OTLP.')
  }
}

interface PartialSuccess {
  rejectedSpans?: string | number
  rejectedLogRecords?: string | number
  rejectedDataPoints?: string | number
  errorMessage?: string
}

function fromJson(text: string): Acknowledgement {
  const { partialSuccess: partial = {} } = JSON.parse(text) as { partialSuccess?: PartialSuccess }
  const rejected = partial.rejectedSpans ?? partial.rejectedLogRecords ?? partial.rejectedDataPoints ?? 0
  return { rejected: Number(rejected), reason: partial.errorMessage ?? '' }
}

function fromProtobuf(answer: Uint8Array): Acknowledgement {
  const reader = new WireReader(answer, 'the answer')
  let partial = new Uint8Array()
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === tagOf(1, BYTES)) partial = new Uint8Array(fieldBytes(reader))
    else reader.skipField(tag)
  }
  return { rejected: numberField(partial, 1), reason: textField(partial, 2) }
}

function numberField(message: Uint8Array, field: number): number {
  const reader = new WireReader(message, 'the answer')
  let value = 0
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === tagOf(field, VARINT)) value = reader.uint64()
    else reader.skipField(tag)
  }
  return value
}

function textField(message: Uint8Array, field: number): string {
  const reader = new WireReader(message, 'the answer')
  let text = ''
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === tagOf(field, BYTES)) text = new TextDecoder().decode(fieldBytes(reader))
    else reader.skipField(tag)
  }
  return text
}

function fieldBytes(reader: WireReader): Uint8Array {
  const end = reader.fieldEnd()
  const bytes = reader.bytes.subarray(reader.pos, end)
  reader.pos = end
  return bytes
}
