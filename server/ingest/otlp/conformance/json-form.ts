/** A request of the oracle as OTLP's JSON writes it: ids in hex, other bytes in base64, doubles with names. */
export function jsonForm(request: object): Uint8Array {
  return Buffer.from(JSON.stringify(plain(request)))
}

const IDS = new Set(['traceId', 'spanId', 'parentSpanId'])

function plain(value: unknown, name = ''): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString(IDS.has(name) ? 'hex' : 'base64')
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (Array.isArray(value)) return value.map((item) => plain(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner, key)]))
}
