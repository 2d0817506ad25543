import { describe, expect, it } from 'vitest'
import type { Label } from '../incidents/incident.ts'
import { FAULT_KINDS, QUIET_KINDS } from './faults/catalogue.ts'
import { generatedIncidents, generateIncident } from './generated-incidents.ts'
import { type Told, type ToldSpan, told } from './testing/told.ts'

const SERVER = 2
const CLIENT = 3

const incidents = new Map<string, { label: Label; told: Told }>()

/** An incident with little telemetry, in which what was planted can still be seen, and what it tells. */
function smallest(kind: string, seed = 1): { label: Label; told: Told } {
  const key = `${seed} ${kind}`
  const known = incidents.get(key)
  if (known) return known
  const incident = generateIncident(seed, kind, 'low traffic')
  const made = { label: incident.label, told: told(incident) }
  incidents.set(key, made)
  return made
}

/** The same of a system whose spans say that they failed, and of a fault that fails them. */
function shown(kind: string): { label: Label; told: Told } {
  const after = (incident: { label: Label; told: Told }) => ownRequests(incident).after
  const hasFailures = (seed: number) => failedShare(after(smallest(kind, seed))) > 0.1
  return smallest(kind, [1, 2, 3, 4, 5].find(hasFailures))
}

const share = <T>(items: T[], is: (item: T) => boolean) => items.filter(is).length / Math.max(1, items.length)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const failedShare = (spans: ToldSpan[]) => share(spans, ({ hasFailed }) => hasFailed)
const medianMs = (spans: ToldSpan[]) => median(spans.map(({ durationMs }) => durationMs))
const isRequest = ({ kind }: ToldSpan) => kind === SERVER || kind === 5

/** What is meant, before the onset and after it has had a moment to show. */
function parted(spans: ToldSpan[], { onsetMs }: Label): { before: ToldSpan[]; after: ToldSpan[] } {
  return {
    before: spans.filter(({ startMs }) => startMs < onsetMs - 1000),
    after: spans.filter(({ startMs }) => startMs > onsetMs + 60_000),
  }
}

function ownRequests({ label, told: { spans } }: { label: Label; told: Told }) {
  const [fault] = label.faults
  return parted(
    spans.filter((span) => isRequest(span) && span.service === fault?.serviceNames[0]),
    label,
  )
}

/** Calls to the culprit, as its callers saw them. */
function callsToCulprit({ label, told: { spans } }: { label: Label; told: Told }) {
  const names = label.faults[0]?.culprit?.names ?? []
  const values = (span: ToldSpan) => Object.values(span.attributes)
  return parted(
    spans.filter((span) => span.kind === CLIENT && values(span).some((value) => names.includes(value))),
    label,
  )
}

describe('an incident that was generated', () => {
  it('is the same for the same seed, and another one for another', () => {
    const bodies = (seed: number) =>
      [...generateIncident(seed, 'crash', 'low traffic').exports(0)].map(({ body }) => body)
    const [one, same, other] = [bodies(2), bodies(2), bodies(3)].map((each) => each.join(''))
    expect(one === same).toBe(true)
    expect(one === other).toBe(false)
  })

  it('is the same at another time, but for its times', () => {
    const texts = (moveMs: number) =>
      [...generateIncident(2, 'crash', 'low traffic').exports(moveMs)].map(({ body }) =>
        body.replace(/UnixNano":"\d+/g, ''),
      )
    expect(texts(7_200_000).join('') === texts(0).join('')).toBe(true)
  })

  it('comes in every kind in turn, and the quiet ones after them', () => {
    const labels = generatedIncidents({ seed: 1, count: 46, quietCount: 12, kinds: [] }).map(({ label }) => label)
    const kinds = new Set(labels.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([...Object.keys(FAULT_KINDS), ...Object.keys(QUIET_KINDS)].sort())
    expect(labels.filter(({ faults }) => faults.length === 0)).toHaveLength(12)
    expect(new Set(labels.map(({ id }) => id)).size).toBe(58)
  })

  it('names every service of its label in its telemetry', () => {
    const {
      label,
      told: { spans },
    } = smallest('dependency-slow')
    const services = new Set(spans.map(({ service }) => service))
    for (const { serviceNames } of label.faults)
      expect(serviceNames.filter((name) => services.has(name))).not.toEqual([])
  })

  it('has whole traces: every parent that is named was sent before the end, or was still on its way', () => {
    const {
      told: { spans },
    } = smallest('quiet-noise')
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const orphans = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))
    expect(orphans.length).toBeLessThan(spans.length * 0.01)
  })

  it('refuses a kind that does not exist, and says which do', () => {
    const options = { seed: 1, count: 1, quietCount: 0, kinds: ['earthquake'] }
    expect(() => generatedIncidents(options)).toThrow(/"earthquake": it must be some of slow-code/)
  })
})

describe('what was planted is in the telemetry:', () => {
  it.each(['exception', 'error-return', 'pool-exhaustion', 'thread-exhaustion'])(
    '%s fails requests of the service',
    (kind) => {
      const { before, after } = ownRequests(shown(kind))
      expect(failedShare(after)).toBeGreaterThan(failedShare(before) + 0.1)
    },
  )

  it('an exception is on the spans or in the log, and an error that is only returned is not', () => {
    const thrown = shown('exception')
    const service = thrown.label.faults[0]?.serviceNames[0]
    const late = thrown.told.errorLogs.filter(({ atMs }) => atMs > thrown.label.onsetMs)
    const failed = ownRequests(thrown).after.filter(({ hasFailed }) => hasFailed)
    const isTold = failed.some(({ exceptions }) => exceptions.length > 0) || late.some((log) => log.service === service)
    expect(isTold).toBe(true)
    const returned = ownRequests(shown('error-return')).after.filter(({ hasFailed }) => hasFailed)
    expect(share(returned, ({ exceptions }) => exceptions.length === 0)).toBeGreaterThan(0.8)
  })

  it.each(['slow-code', 'cpu-saturation', 'gradual-slowness'])('%s makes requests of the service slower', (kind) => {
    const { before, after } = ownRequests(smallest(kind))
    expect(medianMs(after)).toBeGreaterThan(medianMs(before) * 1.3)
  })

  it('saturation of the processor is in its metrics', () => {
    const {
      label,
      told: { points },
    } = smallest('cpu-saturation')
    const own = points.filter(
      ({ name, service }) => name === 'process.cpu.utilization' && service === label.faults[0]?.serviceNames[0],
    )
    const mean = (some: typeof own) => some.reduce((sum, { value }) => sum + value, 0) / some.length
    expect(mean(own.filter(({ atMs }) => atMs > label.onsetMs + 30_000))).toBeGreaterThan(0.75)
    expect(mean(own.filter(({ atMs }) => atMs < label.onsetMs))).toBeLessThan(0.5)
  })

  it('a leak fills the memory up to its limit', () => {
    const {
      label,
      told: { points },
    } = smallest('memory-leak')
    const own = points.filter(({ service }) => service === label.faults[0]?.serviceNames[0])
    const limits = new Map(own.filter(({ name }) => name.endsWith('.limit')).map(({ name, value }) => [name, value]))
    const shares = own.flatMap(({ name, value, atMs }) => {
      if (name === 'k8s.pod.memory_limit_utilization') return [{ atMs, value }]
      const limit = limits.get(name.replace(/used$/, 'limit'))
      return limit && name.endsWith('.used') ? [{ atMs, value: value / limit }] : []
    })
    const at = (fromMs: number) => shares.filter(({ atMs }) => atMs >= fromMs).map(({ value }) => value)
    expect(Math.max(...at(label.endMs - 60_000))).toBeGreaterThan(0.9)
    expect(median(shares.filter(({ atMs }) => atMs < label.onsetMs).map(({ value }) => value))).toBeLessThan(0.65)
  })

  it('a pool that runs dry says so', () => {
    const {
      label,
      told: { points },
    } = smallest('pool-exhaustion')
    const [fault] = label.faults
    const used = points.filter(
      ({ name, service, attributes, atMs }) =>
        name === 'db.client.connection.count' &&
        service === fault?.serviceNames[0] &&
        attributes['db.client.connection.state'] === 'idle' &&
        fault?.culprit?.names.includes(attributes['db.client.connection.pool.name'] ?? '') &&
        atMs > label.endMs - 60_000,
    )
    expect(used.map(({ value }) => value)).toEqual(used.map(() => 0))
  })

  it('a slow dependency is slow for those who call it', () => {
    const { before, after } = callsToCulprit(smallest('dependency-slow'))
    expect(medianMs(after)).toBeGreaterThan(medianMs(before) * 3)
  })

  it.each(['dependency-failing', 'dependency-gone', 'rate-limiting'])('%s fails those who call it', (kind) => {
    const { before, after } = callsToCulprit(shown(kind))
    expect(failedShare(after)).toBeGreaterThan(failedShare(before) + 0.2)
  })

  it('a crashed service is silent, and its callers are refused', () => {
    const incident = smallest('crash')
    expect(ownRequests(incident).after).toEqual([])
    expect(ownRequests(incident).before.length).toBeGreaterThan(20)
    const name = incident.label.faults[0]?.serviceNames[0] ?? ''
    const calls = incident.told.spans.filter(
      (span) => span.kind === CLIENT && Object.values(span.attributes).includes(name),
    )
    expect(failedShare(parted(calls, incident.label).after)).toBe(1)
  })

  it('a slow network is between a call and its service', () => {
    const {
      label,
      told: { spans },
    } = smallest('network-delay')
    const calls = new Map(spans.filter(({ kind }) => kind === CLIENT).map((span) => [span.spanId, span]))
    const gaps = (own: ToldSpan[]) =>
      median(
        own.flatMap((span) => {
          const call = calls.get(span.parentSpanId ?? '')
          return call ? [call.durationMs - span.durationMs] : []
        }),
      )
    const { before, after } = ownRequests({ label, told: { spans, points: [], errorLogs: [] } })
    expect(gaps(after)).toBeGreaterThan(gaps(before) + 60)
  })

  it.each(['bad-instance', 'bad-version', 'bad-region', 'bad-customer'])('%s is about what its label names', (kind) => {
    const incident = smallest(kind)
    const names = incident.label.faults[0]?.culprit?.names ?? []
    const isCulprit = ({ resource, attributes }: ToldSpan) =>
      [...Object.values(resource), ...Object.values(attributes)].some((value) => names.includes(value))
    const { before, after } = ownRequests(incident)
    if (kind === 'bad-version') expect(before.filter(isCulprit)).toEqual([])
    // Only where customers come in are they always known, so that the traces are looked at.
    const entries = new Map(
      incident.told.spans.filter((span) => isRequest(span) && isCulprit(span)).map((span) => [span.traceId, span]),
    )
    const hit = after.filter((span) => isCulprit(span) || (kind === 'bad-customer' && entries.has(span.traceId)))
    const others = kind === 'bad-version' ? before : after.filter((span) => !hit.includes(span))
    const isWorse = failedShare(hit) > failedShare(others) + 0.2 || medianMs(hit) > medianMs(others) * 1.4
    expect(isWorse).toBe(true)
  })

  it('a storm of retries goes on when its trigger is long over', () => {
    const {
      label,
      told: { spans },
    } = smallest('retry-storm')
    const late = spans.filter(({ kind, startMs }) => kind === CLIENT && startMs > label.endMs - 60_000)
    const services = label.faults[0]?.serviceNames ?? []
    const calls = late.filter(({ attributes }) => Object.values(attributes).includes(services[0] ?? ''))
    expect(share(calls, ({ attributes }) => attributes['http.request.resend_count'] !== undefined)).toBeGreaterThan(0.4)
  })

  it('a surge of traffic is at least twice as much of it', () => {
    const {
      label,
      told: { spans },
    } = smallest('traffic-surge')
    const { before, after } = parted(
      spans.filter(({ kind, parentSpanId }) => kind === SERVER && !parentSpanId),
      label,
    )
    const firstMs = Math.min(...before.map(({ startMs }) => startMs))
    const perMinute = (own: ToldSpan[], ms: number) => (own.length * 60_000) / ms
    expect(perMinute(after, label.endMs - label.onsetMs - 60_000)).toBeGreaterThan(
      2 * perMinute(before, label.onsetMs - firstMs),
    )
  })

  it('changed settings show in the resource, from the onset on', () => {
    const {
      label,
      told: { spans },
    } = smallest('configuration-change')
    const own = spans.filter(({ service }) => service === label.faults[0]?.serviceNames[0])
    const key = Object.keys(own[0]?.resource ?? {}).find((name) => /revision|checksum/.test(name)) ?? ''
    const values = (some: ToldSpan[]) => [...new Set(some.map(({ resource }) => resource[key]))]
    const before = values(own.filter(({ startMs }) => startMs < label.onsetMs - 1000))
    const after = values(own.filter(({ startMs }) => startMs > label.onsetMs + 1000))
    expect([before.length, after.length]).toEqual([1, 1])
    expect(after).not.toEqual(before)
  })

  it('readers that are too slow fall behind', () => {
    const incident = smallest('queue-cascade')
    const { before, after } = ownRequests(incident)
    const processed = (own: ToldSpan[]) => own.filter(({ kind }) => kind === 5)
    expect(medianMs(processed(after))).toBeGreaterThan(medianMs(processed(before)) + 100)
  })

  it('two faults are in two services, neither of which calls the other', () => {
    const { label } = smallest('two-faults')
    expect(label.faults).toHaveLength(2)
    const [one, other] = label.faults.map(({ serviceNames }) => new Set(serviceNames))
    expect([...(one ?? [])].some((name) => other?.has(name))).toBe(false)
  })

  it.each(Object.keys(QUIET_KINDS))('%s is no worse at its end than before', (kind) => {
    const {
      label,
      told: { spans },
    } = smallest(kind)
    const requests = spans.filter(isRequest)
    const late = requests.filter(({ startMs }) => startMs > label.endMs - 10 * 60_000)
    const early = requests.filter(({ startMs }) => startMs < label.endMs - 12 * 60_000)
    expect(label.faults).toEqual([])
    expect(failedShare(late)).toBeLessThan(failedShare(early) + 0.05)
    expect(medianMs(late)).toBeLessThan(medianMs(early) * 1.4)
  })
})
