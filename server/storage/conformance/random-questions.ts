import type { SpanStatus } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { TelemetryReader, TraceFilter } from '../telemetry-store.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { HOURS, OPERATIONS, SERVICES } from './random-spans.ts'
import { METRICS } from './random-telemetry.ts'
import type { SeededRandom } from './seeded-random.ts'
import { MS_PER_HOUR, windowMs } from './test-time.ts'

/** A method of the reader with its arguments, named by the method. */
export type Question = {
  [Method in keyof TelemetryReader]: { method: Method; args: Parameters<TelemetryReader[Method]> }
}[keyof TelemetryReader]

/** Ids that were sent, to ask for. */
export interface KnownIds {
  traceIds: string[]
  spanIds: string[]
}

export function randomQuestion(random: SeededRandom, known: KnownIds): Question {
  const traceId = random.chance(0.05) ? traceIdOf('404') : random.pick(known.traceIds)
  const spanId = random.chance(0.05) ? spanIdOf('404') : random.pick(known.spanIds)
  const limit = random.pick([1, 2, 5, 1000])
  const thresholds = { defaultMs: random.pick([1, 500]), byService: random.pick([{}, { web: 20, nobody: 1 }]) }
  return random.pick<() => Question>([
    () => ({ method: 'span', args: [spanId] }),
    () => ({ method: 'traceSpans', args: [traceId, limit] }),
    () => ({ method: 'traceErrorSpans', args: [traceId, limit] }),
    () => ({ method: 'traceLogs', args: [traceId, limit] }),
    () => ({ method: 'searchTraces', args: [randomFilter(random)] }),
    () => ({ method: 'searchTraces', args: [randomFilter(random)] }),
    () => ({ method: 'searchTraces', args: [randomFilter(random)] }),
    () => ({ method: 'traceFilterOptions', args: [limit] }),
    () => ({ method: 'serviceRequests', args: [randomWindow(random), thresholds] }),
    () => ({ method: 'unansweredCalls', args: [randomWindow(random)] }),
    () => ({ method: 'logs', args: [randomWindow(random), random.pick([1, 20, 1000])] }),
    () => ({ method: 'metricPoints', args: [random.pick(METRICS), randomWindow(random), random.pick([1, 20, 1000])] }),
  ])()
}

function randomFilter(random: SeededRandom): TraceFilter {
  const filter: TraceFilter = {
    window: randomWindow(random),
    offset: random.pick([0, 0, 3, 20, 100_000]),
    limit: random.pick([1, 7, 20, 100]),
  }
  if (random.chance(0.4)) filter.serviceName = random.pick([...SERVICES, 'nobody'])
  if (random.chance(0.3)) filter.operationName = random.pick([...OPERATIONS, 'again', '%'])
  if (random.chance(0.2)) filter.minDurationMs = random.pick([0, 1, 20, 500, 2000])
  if (random.chance(0.2)) filter.maxDurationMs = random.pick([0, 1, 2, 500, 2000])
  if (random.chance(0.2)) filter.status = random.pick<SpanStatus>(['OK', 'ERROR'])
  if (random.chance(0.3)) filter.tags = randomTags(random)
  return filter
}

function randomTags(random: SeededRandom): Record<string, string> {
  return Object.fromEntries(
    random
      .shuffled(TAGS)
      .slice(0, random.below(3))
      .map(([key, values]) => [key, random.pick(values)]),
  )
}

const TAGS: readonly [string, readonly string[]][] = [
  ['http.status', ['200', '404', '502', '5']],
  ['user', ['u1', 'u2', 'nobody']],
  ['flag', ['true', 'false', 'null']],
  ['region', ['eu', 'us', 'mars']],
  ['host.name', ['host-0', 'host-3']],
  ['a.b', ['["x",1]', '{"c":"x"}', 'x']],
  ['a', ['x']],
]

/** Whole hours, parts of one, everything, and nothing. */
function randomWindow(random: SeededRandom): TimeWindow {
  const hour = random.below(HOURS) * MS_PER_HOUR
  const startMs = random.below(HOURS * 3600) * 1000
  return random.pick([
    windowMs(0, HOURS * MS_PER_HOUR),
    windowMs(hour, hour + MS_PER_HOUR),
    windowMs(startMs, startMs + random.pick([1, 60_000, 900_000, 5_400_000])),
    windowMs(startMs, hour),
    windowMs(-20 * MS_PER_HOUR, startMs),
  ])
}
