/** An attribute's value. */
export type Value = string | number | boolean

export type Values = Record<string, Value>

/** Attributes as OTLP writes them in JSON. */
export function attributesJson(values: Values): string {
  return `[${Object.entries(values)
    .map(([key, value]) => `{"key":${JSON.stringify(key)},"value":${valueJson(value)}}`)
    .join(',')}]`
}

/** Nanoseconds since the epoch, which are more than a number can hold. */
export function nanoseconds(epochMs: number, afterMs: number): string {
  const wholeMs = Math.floor(afterMs)
  const fraction = Math.floor((afterMs - wholeMs) * 1e6)
  return `${epochMs + wholeMs}${String(fraction).padStart(6, '0')}`
}

function valueJson(value: Value): string {
  if (typeof value === 'string') return `{"stringValue":${JSON.stringify(value)}}`
  if (typeof value === 'boolean') return `{"boolValue":${value}}`
  return Number.isInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`
}
