import { figuresOf } from './expected-answers.ts'
import type { RawSpan } from './raw-span.ts'
import { SeededNumbers } from './seeded-numbers.ts'

const HISTORY_MS = 75 * 60_000
const EVERY_MS = 4000
const FAILS_SINCE_MS = -9 * 60_000
const FAIL_SHARE = 0.4
const MS_PER_DAY = 86_400_000

/** A service that another one calls fails since nine minutes ago, and never before. */
export function failingTraffic(seed: number): RawSpan[] {
  const random = new SeededNumbers(seed)
  return Array.from({ length: HISTORY_MS / EVERY_MS }, (_, n) => {
    const startMs = -HISTORY_MS + n * EVERY_MS
    const failed = startMs >= FAILS_SINCE_MS && random.chance(FAIL_SHARE)
    const traceId = random.hex(32)
    const web = spanOf(random, traceId, '', startMs, { service: 'web', kind: 'SERVER', failed })
    const call = spanOf(random, traceId, web.spanId, startMs + 5, { service: 'web', kind: 'CLIENT', failed })
    const cart = spanOf(random, traceId, call.spanId, startMs + 8, { service: 'cart', kind: 'SERVER', failed })
    if (failed) cart.exception = { type: 'IllegalState', texts: ['no such cart'], values: [] }
    return [web, call, cart]
  }).flat()
}

function spanOf(
  random: SeededNumbers,
  traceId: string,
  parentSpanId: string,
  startMs: number,
  more: Pick<RawSpan, 'service' | 'kind' | 'failed'>,
): RawSpan {
  return {
    traceId,
    spanId: random.hex(16),
    parentSpanId,
    operation: 'GET /cart',
    startNs: startMs * 1e6,
    durationNs: Math.round(30e6 * random.spread(0.3)),
    exception: undefined,
    attributes: {},
    links: [],
    ...more,
  }
}

export interface ToldFigure {
  sentence: string
  isRight: boolean
}

const FAILED = /^requests of (\S+) (.+): ([\d.]+) % of (\d+) failed since (\d\d):(\d\d):(\d\d)Z/

/** Sentences of the form `requests of cart GET /: 40 % of 50 failed since 12:03:00Z, …`, and whether the spans say so too. */
export function figuresTold(evidence: string[], spans: RawSpan[], momentMs: number): ToldFigure[] {
  return evidence.flatMap((sentence) => {
    const [, service, operation, percent, count, ...clock] = FAILED.exec(sentence) ?? []
    if (service === undefined) return []
    const [hours = 0, minutes = 0, seconds = 0] = clock.map(Number)
    const sinceMs = ((hours * 60 + minutes) * 60 + seconds) * 1000 - (momentMs % MS_PER_DAY)
    const own = spans.filter(
      (span) =>
        span.kind === 'SERVER' &&
        span.service === service &&
        span.operation === operation &&
        span.startNs >= sinceMs * 1e6,
    )
    const { requestCount, errorRate } = figuresOf(own)
    return [{ sentence, isRight: requestCount === Number(count) && Math.abs(errorRate - Number(percent)) <= 0.005_001 }]
  })
}
