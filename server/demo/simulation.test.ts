import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { beforeAll, describe, expect, it } from 'vitest'
import { type SimulateOptions, simulate } from './simulation.ts'
import { SERVICES } from './topology/services.ts'

const START_EPOCH_MS = Date.UTC(2026, 2, 3, 10)
const MINUTE_MS = 60_000

function optionsOf(more: Partial<SimulateOptions>): SimulateOptions {
  return { seed: 'test', ratePerSecond: 20, startEpochMs: START_EPOCH_MS, durationMs: MINUTE_MS, ...more }
}

const serviceOf = (span: ReadableSpan): string => String(span.resource.attributes['service.name'])
const startNs = (span: ReadableSpan): bigint => BigInt(span.startTime[0]) * 1_000_000_000n + BigInt(span.startTime[1])
const endNs = (span: ReadableSpan): bigint => BigInt(span.endTime[0]) * 1_000_000_000n + BigInt(span.endTime[1])
const durationMs = (span: ReadableSpan): number => Number(endNs(span) - startNs(span)) / 1e6

describe('two runs', () => {
  const fingerprint = (options: SimulateOptions): string =>
    JSON.stringify(
      [...simulate(options)].map(({ spans, logs, metrics }) => [
        spans.map((span) => [
          span.spanContext(),
          span.name,
          span.startTime,
          span.endTime,
          span.attributes,
          span.status,
        ]),
        logs.map((log) => [log.hrTime, log.body]),
        metrics.map((one) => one.scopeMetrics),
      ]),
    )

  it('of one seed at one moment are the same to the last attribute', () => {
    const options = optionsOf({ durationMs: 20_000 })
    expect(fingerprint(options)).toBe(fingerprint(options))
  })

  it('of different seeds, or at different moments, share no trace', () => {
    const traceIds = (options: SimulateOptions): Set<string> =>
      new Set([...simulate(options)].flatMap(({ spans }) => spans.map((span) => span.spanContext().traceId)))
    const one = traceIds(optionsOf({ durationMs: 5000 }))
    const others = [
      optionsOf({ durationMs: 5000, seed: 'other' }),
      optionsOf({ durationMs: 5000, startEpochMs: START_EPOCH_MS + 1 }),
    ]
    for (const other of others.map(traceIds)) expect([...other].filter((id) => one.has(id))).toEqual([])
  })
})

describe('traces', () => {
  const spans: ReadableSpan[] = []
  const byId = new Map<string, ReadableSpan>()
  beforeAll(() => {
    for (const slice of simulate(optionsOf({ durationMs: 2 * MINUTE_MS }))) spans.push(...slice.spans)
    for (const span of spans) byId.set(span.spanContext().spanId, span)
  })
  const parentOf = (span: ReadableSpan): ReadableSpan | undefined => byId.get(span.parentSpanContext?.spanId ?? '')

  it('have ids that occur once', () => {
    expect(byId.size).toBe(spans.length)
  })

  it('hold about a dozen spans for each request, of every service and kind', () => {
    const requests = spans.filter((span) => span.kind === SpanKind.SERVER && span.parentSpanContext === undefined)
    expect(spans.length / requests.length).toBeGreaterThan(8)
    expect(spans.length / requests.length).toBeLessThan(15)
    expect(new Set(spans.map(serviceOf))).toEqual(new Set(SERVICES.map(({ name }) => name)))
    expect(new Set(spans.map(({ kind }) => kind)).size).toBe(5)
  })

  it('have every parent, except what was still open at the end', () => {
    const cutMs = START_EPOCH_MS + MINUTE_MS
    const settled = spans.filter(
      (span) => span.parentSpanContext !== undefined && Number(startNs(span) / 1_000_000n) < cutMs,
    )
    expect(settled.length).toBeGreaterThan(10_000)
    expect(settled.filter((span) => parentOf(span) === undefined)).toEqual([])
  })

  it('hold children within their parents, except consumers, which come later', () => {
    const strays = spans.filter((span) => {
      const parent = parentOf(span)
      if (parent === undefined || span.kind === SpanKind.CONSUMER) return false
      const isLate = endNs(span) > endNs(parent) && parent.status.code !== SpanStatusCode.ERROR
      return startNs(span) < startNs(parent) || isLate || span.spanContext().traceId !== parent.spanContext().traceId
    })
    expect(strays).toEqual([])
  })

  it('end no span before it began, and none after it was emitted', () => {
    expect(spans.filter((span) => endNs(span) < startNs(span))).toEqual([])
    expect(spans.every((span) => Number(endNs(span) / 1_000_000n) <= START_EPOCH_MS + 2 * MINUTE_MS)).toBe(true)
  })

  it('link consumers of Kafka to the span that sent the message, and continue the trace over RabbitMQ', () => {
    const consumers = spans.filter((span) => span.kind === SpanKind.CONSUMER)
    const kafka = consumers.filter((span) => span.attributes['messaging.system'] === 'kafka')
    const rabbit = consumers.filter((span) => span.attributes['messaging.system'] === 'rabbitmq')
    expect(kafka.length).toBeGreaterThan(100)
    expect(rabbit.length).toBeGreaterThan(5)
    for (const span of kafka) {
      const sender = byId.get(span.links[0]?.context.spanId ?? '')
      expect(sender?.kind).toBe(SpanKind.PRODUCER)
      expect(sender?.spanContext().traceId).toBe(span.links[0]?.context.traceId)
      expect(span.parentSpanContext).toBeUndefined()
    }
    for (const span of rabbit) expect(parentOf(span)?.kind).toBe(SpanKind.PRODUCER)
  })
})

describe('logs and metrics', () => {
  const slices = [...simulate(optionsOf({ durationMs: 2 * MINUTE_MS }))]

  it('name the span and the instance that they belong to', () => {
    const spans = new Map(slices.flatMap(({ spans }) => spans).map((span) => [span.spanContext().spanId, span]))
    const logs = slices.slice(0, 60).flatMap((slice) => slice.logs)
    expect(logs.length).toBeGreaterThan(100)
    for (const log of logs) {
      const span = spans.get(log.spanContext?.spanId ?? '')
      expect(span?.spanContext().traceId).toBe(log.spanContext?.traceId)
      expect(span?.resource).toBe(log.resource)
    }
  })

  it('report pools, processors, memory and durations under their conventional names', () => {
    const names = new Set(
      slices
        .flatMap(({ metrics }) => metrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name)),
    )
    expect([...names]).toEqual(
      expect.arrayContaining([
        'http.server.request.duration',
        'rpc.server.call.duration',
        'db.client.connection.count',
        'db.client.connection.max',
        'db.client.connection.pending_requests',
        'process.cpu.utilization',
        'jvm.memory.used',
        'jvm.memory.limit',
        'jvm.executor.queue.size',
        'nodejs.eventloop.utilization',
        'kafka.consumer.records_lag',
      ]),
    )
  })
})

describe('a calm hour', () => {
  const WINDOW_MS = 15 * MINUTE_MS
  const windows = new Map<string, { durations: number[]; errors: number }[]>()
  const crowded: string[] = []
  beforeAll(() => {
    for (const { untilMs, spans, metrics } of simulate(optionsOf({ ratePerSecond: 4, durationMs: 4 * WINDOW_MS }))) {
      for (const span of spans)
        if (span.kind === SpanKind.SERVER || span.kind === SpanKind.CONSUMER) note(span, untilMs)
      for (const { scopeMetrics } of metrics) {
        for (const { descriptor, dataPoints } of scopeMetrics.flatMap((one) => one.metrics)) {
          const highest = Math.max(...dataPoints.map(({ value }) => (typeof value === 'number' ? value : 0)))
          if (descriptor.name === 'process.cpu.utilization' && highest > 0.8) crowded.push(descriptor.name)
          if (descriptor.name === 'db.client.connection.pending_requests' && highest > 0) crowded.push(descriptor.name)
        }
      }
    }
  })

  function note(span: ReadableSpan, untilMs: number): void {
    const ofService = windows.get(serviceOf(span)) ?? []
    windows.set(serviceOf(span), ofService)
    const index = Math.floor((untilMs - 1) / WINDOW_MS)
    ofService[index] ??= { durations: [], errors: 0 }
    ofService[index].durations.push(durationMs(span))
    if (span.status.code === SpanStatusCode.ERROR) ofService[index].errors += 1
  }

  it.each(SERVICES.map(({ name }) => name))('of %s has hardly an error', (name) => {
    const ofService = windows.get(name) ?? []
    const errors = ofService.reduce((sum, one) => sum + one.errors, 0)
    const requests = ofService.reduce((sum, one) => sum + one.durations.length, 0)
    expect(requests).toBeGreaterThan(700)
    expect(errors / requests).toBeLessThan(0.005)
  })

  it.each(SERVICES.map(({ name }) => name))('of %s has a steady p95', (name) => {
    const p95s = (windows.get(name) ?? []).map(({ durations }) => {
      const sorted = durations.sort((a, b) => a - b)
      return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
    })
    expect(p95s).toHaveLength(4)
    expect(Math.max(...p95s) / Math.min(...p95s)).toBeLessThan(1.25)
  })

  it('fills no processor and lets nobody wait for a connection', () => {
    expect(crowded).toEqual([])
  })
})
