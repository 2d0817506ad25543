export type Value = string | number | boolean
export type Values = Record<string, Value>

/** A span, log record or metric as OTLP/JSON has it, with the resource that it came from. */
export interface OtlpRecord {
  resource: Values
  record: object
  /** Comes only with the next stage. */
  late?: boolean
}

export type Signal = 'traces' | 'logs' | 'metrics'

const NAMES = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
} as const

/** One export request. */
export function exportRequest(signal: Signal, records: OtlpRecord[]): object {
  const [ofResources, ofScopes, ofRecords] = NAMES[signal]
  const byResource = new Map<string, OtlpRecord[]>()
  for (const each of records) {
    const key = JSON.stringify(each.resource)
    const same = byResource.get(key)
    if (same) same.push(each)
    else byResource.set(key, [each])
  }
  return {
    [ofResources]: [...byResource.values()].map((same) => ({
      resource: { attributes: attributesOf(same[0]?.resource ?? {}) },
      [ofScopes]: [{ [ofRecords]: same.map(({ record }) => record) }],
    })),
  }
}

export function attributesOf(values: Values): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValueOf(value) }))
}

function anyValueOf(value: Value): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Nanoseconds since the epoch of a moment in milliseconds, which may have a fraction. */
export function nanosecondsOf(ms: number): string {
  const whole = Math.floor(ms)
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)))
}
