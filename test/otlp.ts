import { OWNER_KEY } from './server-process.ts'

export type Signal = 'traces' | 'logs' | 'metrics'

export interface OtlpAnswer {
  status: number
  headers: Headers
  body: Uint8Array
  /** The body of an answer in JSON. */
  json(): Record<string, unknown>
}

/** One OTLP/HTTP request; an object is sent as JSON. Headers may change anything. */
export async function sendOtlp(
  url: string,
  signal: Signal,
  body: object | Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<OtlpAnswer> {
  const response = await fetch(`${url}/v1/${signal}`, {
    method: 'POST',
    headers: { 'api-key': OWNER_KEY, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return {
    status: response.status,
    headers: response.headers,
    body: bytes,
    json: () => JSON.parse(Buffer.from(bytes).toString()),
  }
}

export interface SpanToSend {
  traceId: string
  spanId: string
  startMs: number
  name?: string
  parentSpanId?: string
  durationMs?: number
  kind?: number
  attributes?: object[]
  status?: { code: number; message?: string }
}

/** An ExportTraceServiceRequest in JSON, of one service. */
export function traceRequest(spans: SpanToSend[], serviceName = 'shop'): object {
  const resource = { attributes: [text('service.name', serviceName)] }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: spans.map(spanJson) }] }] }
}

export function text(key: string, stringValue: string): object {
  return { key, value: { stringValue } }
}

export function nanoseconds(ms: number): string {
  return `${ms}000000`
}

function spanJson({ startMs, durationMs = 1, name = 'work', ...span }: SpanToSend): object {
  const times = { startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(startMs + durationMs) }
  return { name, kind: 2, ...span, ...times }
}

export function traceIdOf(number: number): string {
  return `a${number.toString(16).padStart(31, '0')}`
}

export function spanIdOf(number: number): string {
  return `b${number.toString(16).padStart(15, '0')}`
}
