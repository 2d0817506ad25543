import { figuresOf } from './expected-answers.ts'
import type { RawSpan } from './raw-span.ts'
import { SeededNumbers } from './seeded-numbers.ts'

const MINUTE_NS = 60e9
const HISTORY_MS = 150 * 60_000
const EVERY_MS = 6000
const COMPARED_NS = 30 * MINUTE_NS

/** What a service is like from a moment on. */
export interface Release {
  atMs: number
  version: string
  workMs: number
  failShare: number
  /** What the answer must think of it. */
  assessment: string
}

/** A service with its releases; what it is like before the first of them. */
export interface ReleasedService {
  name: string
  first: Omit<Release, 'atMs' | 'assessment'>
  releases: Release[]
}

const first = { version: '1', workMs: 80, failShare: 0.02 }

/** At any moment within a minute. */
export const RELEASED: ReleasedService[] = [
  service('slower', [
    { atMs: -47 * 60_000 - 23_457, version: '2', workMs: 180, failShare: 0.02, assessment: 'negative' },
  ]),
  service('failing', [{ atMs: -52 * 60_000 - 1, version: '2', workMs: 80, failShare: 0.3, assessment: 'negative' }]),
  service('faster', [{ atMs: -61 * 60_000, version: '2', workMs: 40, failShare: 0.02, assessment: 'positive' }]),
  service('same', [{ atMs: -35 * 60_000 - 40_000, version: '2', workMs: 80, failShare: 0.02, assessment: 'neutral' }]),
  service('back', [
    { atMs: -79 * 60_000 - 30_000, version: '2', workMs: 160, failShare: 0.02, assessment: 'negative' },
    { atMs: -60 * 60_000 - 12_000, version: '1', workMs: 80, failShare: 0.02, assessment: 'positive' },
  ]),
]

function service(name: string, releases: Release[]): ReleasedService {
  return { name, first, releases }
}

export function releaseTraffic(services: ReleasedService[], seed: number): RawSpan[] {
  const random = new SeededNumbers(seed)
  return services.flatMap((released) =>
    Array.from({ length: HISTORY_MS / EVERY_MS }, (_, n) => {
      const startMs = -HISTORY_MS + n * EVERY_MS + EVERY_MS * random.fraction()
      const { version, workMs, failShare } = released.releases.findLast(({ atMs }) => atMs <= startMs) ?? released.first
      return requestOf(released.name, startMs, workMs * random.spread(0.4), random.chance(failShare), version, random)
    }),
  )
}

function requestOf(
  service: string,
  startMs: number,
  durationMs: number,
  failed: boolean,
  version: string,
  random: SeededNumbers,
): RawSpan {
  return {
    traceId: random.hex(32),
    spanId: random.hex(16),
    parentSpanId: '',
    service,
    operation: 'GET /',
    kind: 'SERVER',
    startNs: Math.round(startMs * 1e6),
    durationNs: Math.round(durationMs * 1e6),
    failed,
    exception: undefined,
    attributes: {},
    links: [],
    resource: { 'service.version': version },
  }
}

/** The changes that these spans tell of, newest first: each at the minute of its first span, up to 30 minutes either side. */
export function expectedChanges(services: ReleasedService[], spans: RawSpan[]) {
  return services
    .flatMap(({ name, first, releases }) => {
      const own = spans.filter(({ service }) => service === name)
      const minutesNs = releases.map(({ atMs }) => minuteOfFirst(own, atMs * 1e6))
      return releases.map(({ version, assessment }, n) => {
        const atNs = minutesNs[n] as number
        const startNs = Math.max(atNs - COMPARED_NS, minutesNs[n - 1] ?? Number.NEGATIVE_INFINITY)
        const endNs = Math.min(atNs + COMPARED_NS, minutesNs[n + 1] ?? 0)
        const within = (from: number, to: number) =>
          figuresOf(own.filter((span) => span.startNs >= from && span.startNs < to))
        const [before, after] = [within(startNs, atNs), within(atNs, endNs)]
        return {
          type: 'deployment',
          serviceName: name,
          atMs: atNs / 1e6,
          previousVersion: releases[n - 1]?.version ?? first.version,
          currentVersion: version,
          performanceImpact: {
            latencyChange: changeText(before.avgLatencyMs, after.avgLatencyMs),
            errorRateChange: changeText(before.errorRate, after.errorRate),
            assessment,
          },
        }
      })
    })
    .sort((a, b) => b.atMs - a.atMs)
}

function minuteOfFirst(spans: RawSpan[], atNs: number): number {
  const firstNs = Math.min(...spans.map(({ startNs }) => startNs).filter((startNs) => startNs >= atNs))
  return Math.floor(firstNs / MINUTE_NS) * MINUTE_NS
}

function changeText(before: number, after: number): string {
  const percent = Math.round(((after - before) / before) * 100)
  return percent === 0 ? '0%' : `${percent > 0 ? '+' : ''}${percent}%`
}
