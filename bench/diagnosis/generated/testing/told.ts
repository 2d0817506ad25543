import type { Incident } from '../../incidents/incident.ts'

/** A span as a test looks at it. */
export interface ToldSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  service: string
  name: string
  kind: number
  startMs: number
  durationMs: number
  hasFailed: boolean
  exceptions: string[]
  attributes: Record<string, string>
  resource: Record<string, string>
}

export interface ToldPoint {
  name: string
  service: string
  atMs: number
  value: number
  attributes: Record<string, string>
}

/** What an incident tells, read from the very text that is sent. */
export interface Told {
  spans: ToldSpan[]
  points: ToldPoint[]
  errorLogs: { service: string; atMs: number; body: string }[]
}

interface KeyValue {
  key: string
  value: Record<string, unknown>
}

/** Only what the generator writes. */
interface AnyExport {
  resourceSpans?: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: RawSpan[] }[] }[]
  resourceLogs?: { resource: { attributes: KeyValue[] }; scopeLogs: { logRecords: RawLog[] }[] }[]
  resourceMetrics?: { resource: { attributes: KeyValue[] }; scopeMetrics: { metrics: RawMetric[] }[] }[]
}
interface RawSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  status?: { code: number }
  events?: { attributes: KeyValue[] }[]
}
interface RawLog {
  timeUnixNano: string
  severityNumber: number
  body: { stringValue: string }
}
interface RawMetric {
  name: string
  gauge: { dataPoints: { timeUnixNano: string; asDouble: number; attributes: KeyValue[] }[] }
}

export function told(incident: Incident): Told {
  const all: Told = { spans: [], points: [], errorLogs: [] }
  for (const { body } of incident.exports(0)) {
    const parsed = JSON.parse(body) as AnyExport
    for (const { resource, scopeSpans } of parsed.resourceSpans ?? [])
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        all.spans.push(spanOf(span, valuesOf(resource.attributes)))
    for (const { resource, scopeLogs } of parsed.resourceLogs ?? [])
      for (const log of scopeLogs.flatMap(({ logRecords }) => logRecords))
        if (log.severityNumber >= 17)
          all.errorLogs.push({
            service: valuesOf(resource.attributes)['service.name'] ?? '',
            atMs: msOf(log.timeUnixNano),
            body: log.body.stringValue,
          })
    for (const { resource, scopeMetrics } of parsed.resourceMetrics ?? [])
      for (const { name, gauge } of scopeMetrics.flatMap(({ metrics }) => metrics))
        for (const { timeUnixNano, asDouble, attributes } of gauge.dataPoints)
          all.points.push({
            name,
            service: valuesOf(resource.attributes)['service.name'] ?? '',
            atMs: msOf(timeUnixNano),
            value: asDouble,
            attributes: valuesOf(attributes),
          })
  }
  return all
}

function spanOf(raw: RawSpan, resource: Record<string, string>): ToldSpan {
  const startMs = msOf(raw.startTimeUnixNano)
  return {
    traceId: raw.traceId,
    spanId: raw.spanId,
    parentSpanId: raw.parentSpanId,
    service: resource['service.name'] ?? '',
    name: raw.name,
    kind: raw.kind,
    startMs,
    durationMs: msOf(raw.endTimeUnixNano) - startMs,
    hasFailed: raw.status?.code === 2,
    exceptions: (raw.events ?? []).map(({ attributes }) => valuesOf(attributes)['exception.type'] ?? ''),
    attributes: valuesOf(raw.attributes),
    resource,
  }
}

function valuesOf(attributes: KeyValue[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]))
}

function msOf(ns: string): number {
  return Number(BigInt(ns) / 1000n) / 1000
}
