import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { simulate } from '../simulation.ts'
import { incidentOf } from './catalogue.ts'
import type { IncidentKind } from './incident.ts'

const MINUTE_MS = 60_000
const BEGINS_MS = MINUTE_MS
const LASTS_MS = 2 * MINUTE_MS

interface Figures {
  requests: number
  errorShare: number
  p95Ms: number
}

interface Phase {
  spans: ReadableSpan[]
  /** The highest value of each metric, by service and name. */
  peaks: Map<string, number>
}

interface Unfolded {
  before: Phase
  /** From one to two minutes after the onset, when a diagnosis is due. */
  during: Phase
  /** The last minute, well after the cause was undone. */
  after: Phase
}

function unfold(kind: IncidentKind, place: number): Unfolded {
  const phase = (): Phase => ({ spans: [], peaks: new Map() })
  const result = { before: phase(), during: phase(), after: phase() }
  const endMs = BEGINS_MS + LASTS_MS + 2 * MINUTE_MS
  const phaseAt = (untilMs: number): Phase | undefined => {
    if (untilMs <= BEGINS_MS) return result.before
    if (untilMs > BEGINS_MS + MINUTE_MS && untilMs <= BEGINS_MS + 2 * MINUTE_MS) return result.during
    return untilMs > endMs - MINUTE_MS ? result.after : undefined
  }
  const incidents = [{ incident: incidentOf(kind, place), afterMs: BEGINS_MS, lastsMs: LASTS_MS }]
  const options = {
    seed: 'incidents',
    ratePerSecond: 20,
    startEpochMs: Date.UTC(2026, 2, 3, 10),
    durationMs: endMs,
    incidents,
  }
  for (const { untilMs, spans, metrics } of simulate(options)) {
    const current = phaseAt(untilMs)
    if (current === undefined) continue
    current.spans.push(...spans)
    for (const { resource, scopeMetrics } of metrics) {
      for (const { descriptor, dataPoints } of scopeMetrics.flatMap((one) => one.metrics)) {
        const key = `${String(resource.attributes['service.name'])} ${descriptor.name}`
        for (const { value } of dataPoints) {
          if (typeof value === 'number') current.peaks.set(key, Math.max(value, current.peaks.get(key) ?? 0))
        }
      }
    }
  }
  return result
}

const milliseconds = (span: ReadableSpan): number => span.duration[0] * 1000 + span.duration[1] / 1e6
const failed = (span: ReadableSpan): boolean => span.status.code === SpanStatusCode.ERROR

function figuresOf(spans: ReadableSpan[], keep: (span: ReadableSpan) => boolean = () => true): Figures {
  const chosen = spans.filter((span) => span.kind === SpanKind.SERVER && keep(span))
  const sorted = chosen.map(milliseconds).sort((a, b) => a - b)
  return {
    requests: chosen.length,
    errorShare: chosen.filter(failed).length / Math.max(1, chosen.length),
    p95Ms: sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0,
  }
}

const ofService =
  (name: string) =>
  (span: ReadableSpan): boolean =>
    span.resource.attributes['service.name'] === name

function exceptionsIn(spans: ReadableSpan[], service: string): Set<string> {
  const events = spans.filter(ofService(service)).flatMap((span) => span.events)
  return new Set(events.map((event) => String(event.attributes?.['exception.type'])))
}

/** What must be true of every incident: calm before, trouble at its place, calm after. */
function expectRise(unfolded: Unfolded, service: string, of: (figures: Figures) => number, factor: number): void {
  const [before, during, after] = [unfolded.before, unfolded.during, unfolded.after].map((phase) =>
    of(figuresOf(phase.spans, ofService(service))),
  ) as [number, number, number]
  expect(during).toBeGreaterThan(factor * Math.max(before, 0.005))
  expect(after).toBeLessThan(1.5 * Math.max(before, 0.02))
}

describe('a bad deployment', () => {
  it('throws in the new version only, its callers answer with 502, and the roll-back ends it', () => {
    const unfolded = unfold('bad-deployment', 0)
    expectRise(unfolded, 'checkout', ({ errorShare }) => errorShare, 20)
    const errors = unfolded.during.spans.filter((span) => ofService('checkout')(span) && failed(span))
    const isNew = (span: ReadableSpan): boolean => span.resource.attributes['service.version'] === '5.2.0'
    expect(errors.filter(isNew).length / errors.length).toBeGreaterThan(0.95)
    expect(exceptionsIn(unfolded.during.spans, 'checkout')).toContain('java.lang.NullPointerException')
    const callers = unfolded.during.spans.filter(
      (span) => ofService('storefront')(span) && span.attributes['http.response.status_code'] === 502,
    )
    expect(callers.length).toBeGreaterThan(10)
    expect(unfolded.after.spans.some(isNew)).toBe(false)
  })

  it('slows a service down by the statements that it runs more often', () => {
    const unfolded = unfold('bad-deployment', 1)
    const productPage = (span: ReadableSpan): boolean =>
      ofService('catalog')(span) && span.name === 'GET /products/{productId}'
    const p95Of = ({ spans }: Phase): number => figuresOf(spans, productPage).p95Ms
    expect(p95Of(unfolded.during)).toBeGreaterThan(4 * p95Of(unfolded.before))
    expect(p95Of(unfolded.after)).toBeLessThan(1.5 * p95Of(unfolded.before))
  })
})

describe('a pool that runs dry', () => {
  it('makes requests wait for a connection until they time out, and fails their callers', () => {
    const unfolded = unfold('pool-exhaustion', 0)
    expectRise(unfolded, 'inventory', ({ errorShare }) => errorShare, 100)
    expectRise(unfolded, 'storefront', ({ errorShare }) => errorShare, 20)
    expectRise(unfolded, 'inventory', ({ p95Ms }) => p95Ms, 20)
    expect(exceptionsIn(unfolded.during.spans, 'inventory')).toContain('java.sql.SQLTransientConnectionException')
    expect(unfolded.before.peaks.get('inventory db.client.connection.pending_requests')).toBe(0)
    expect(unfolded.during.peaks.get('inventory db.client.connection.pending_requests')).toBeGreaterThan(2)
    expect(unfolded.during.peaks.get('inventory db.client.connection.count')).toBe(10)
    // The database itself is well: the statements that still run are as fast as ever.
    const statements = ({ spans }: Phase): number[] =>
      spans.filter((span) => ofService('inventory')(span) && span.kind === SpanKind.CLIENT).map(milliseconds)
    expect(Math.max(0, ...statements(unfolded.during))).toBeLessThan(2 * Math.max(...statements(unfolded.before)))
  })
})

describe('a slow dependency', () => {
  it('holds the workers of the service that calls it, until others time out waiting for that service', () => {
    const unfolded = unfold('slow-dependency', 0)
    expectRise(unfolded, 'payments', ({ p95Ms }) => p95Ms, 10)
    expectRise(unfolded, 'checkout', ({ p95Ms }) => p95Ms, 5)
    expect(unfolded.during.peaks.get('payments jvm.executor.queue.size')).toBeGreaterThan(0)
    expect(unfolded.before.peaks.get('payments jvm.executor.queue.size')).toBe(0)
    const external = unfolded.during.spans.filter(
      (span) => span.attributes['server.address'] === 'api.cardwright.example',
    )
    expect(external.filter(failed).length).toBeGreaterThan(5)
    expect(unfolded.during.peaks.get('payments process.cpu.utilization')).toBeLessThan(0.5)
  })
})

describe('a bad instance', () => {
  it('starved of its processor makes those wait who reach it, and nobody else', () => {
    const unfolded = unfold('bad-instance', 0)
    const byPod = new Map<string, ReadableSpan[]>()
    for (const span of unfolded.during.spans.filter(ofService('catalog'))) {
      const pod = String(span.resource.attributes['k8s.pod.name'])
      byPod.set(pod, [...(byPod.get(pod) ?? []), span])
    }
    const [good, alsoGood, bad] = [...byPod.values()].map((spans) => figuresOf(spans)).sort((a, b) => a.p95Ms - b.p95Ms)
    expect(bad?.p95Ms).toBeGreaterThan(10 * (alsoGood?.p95Ms ?? 0))
    expect(alsoGood?.p95Ms).toBeLessThan(1.5 * (good?.p95Ms ?? 0))
    expect(unfolded.during.peaks.get('catalog process.cpu.utilization')).toBeGreaterThan(0.95)
    expectRise(unfolded, 'storefront', ({ errorShare }) => errorShare, 10)
  })
})

describe('a traffic surge', () => {
  it('fills the processors of the service that bears it, whose requests queue, time out and are refused', () => {
    const unfolded = unfold('traffic-surge', 0)
    const searches = (span: ReadableSpan): boolean => ofService('storefront')(span) && span.name === 'GET /search'
    const perSecond = ({ spans }: Phase, seconds: number): number => figuresOf(spans, searches).requests / seconds
    expect(perSecond(unfolded.during, 60) / perSecond(unfolded.before, 60)).toBeGreaterThan(3)
    expectRise(unfolded, 'catalog', ({ p95Ms }) => p95Ms, 3)
    expectRise(unfolded, 'storefront', ({ errorShare }) => errorShare, 10)
    expect(unfolded.during.peaks.get('catalog process.cpu.utilization')).toBeGreaterThan(0.95)
    expect(unfolded.after.peaks.get('catalog process.cpu.utilization')).toBeLessThan(0.8)
    expect(figuresOf(unfolded.during.spans, ofService('inventory')).p95Ms).toBeLessThan(50)
  })
})

describe('every other place of each kind', () => {
  it.each([
    ['pool-exhaustion', 'accounts'],
    ['slow-dependency', 'shipping'],
    ['bad-instance', 'cart'],
    ['traffic-surge', 'accounts'],
  ] as const)('shows a %s in %s, and recovers from it', (kind, service) => {
    const incident = incidentOf(kind, 1)
    expect(incident.service).toBe(service)
    const unfolded = unfold(kind, 1)
    const before = figuresOf(unfolded.before.spans, ofService(service))
    const during = figuresOf(unfolded.during.spans, ofService(service))
    const after = figuresOf(unfolded.after.spans, ofService(service))
    expect(during.errorShare > 0.1 || during.p95Ms > 4 * before.p95Ms).toBe(true)
    expect(after.errorShare).toBeLessThan(0.02)
    expect(after.p95Ms).toBeLessThan(1.5 * before.p95Ms)
  })
})
