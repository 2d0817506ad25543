import { SEVERITY_LEVELS } from '../../domain/log-record.ts'
import type { SpanKind, SpanPlace, SpanStatus } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { StepQuestion } from '../chart-reader.ts'
import type { RequestKey, RequestQuestion, SampleFilter } from '../diagnostics-reader.ts'
import type { LogFilter, Portion, TelemetryReader, TraceFilter } from '../telemetry-store.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { HOURS, OPERATIONS, SERVICES } from './random-spans.ts'
import { METRICS, WORDS } from './random-telemetry.ts'
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
  places: SpanPlace[]
  logIds: string[]
}

/** Random questions, each sort of them once before any comes again. */
export class RandomQuestions {
  private readonly random: SeededRandom
  private readonly sorts: (() => Question)[]
  private left: (() => Question)[] = []

  private constructor(random: SeededRandom, sorts: (() => Question)[]) {
    this.random = random
    this.sorts = sorts
  }

  /** What aggregates may answer. */
  static aboutFigures(random: SeededRandom): RandomQuestions {
    return new RandomQuestions(random, figureQuestions(random))
  }

  /** What only the records themselves can answer. */
  static aboutRecords(random: SeededRandom, known: KnownIds): RandomQuestions {
    return new RandomQuestions(random, recordQuestions(random, known))
  }

  next(): Question {
    if (this.left.length === 0) this.left = this.random.shuffled(this.sorts)
    const [ask, ...left] = this.left as [() => Question]
    this.left = left
    return ask()
  }
}

function figureQuestions(random: SeededRandom): (() => Question)[] {
  const requests = (): Question => ({ method: 'requests', args: [randomRequestQuestion(random)] })
  const edges = (): Question => ({ method: 'edges', args: [randomWindow(random)] })
  return [
    requests,
    requests,
    requests,
    edges,
    edges,
    () => ({ method: 'requestSeries', args: [randomWindow(random), random.pick(['service', 'operation']), 1000] }),
    () => ({ method: 'edgeSeries', args: [randomWindow(random), 1000] }),
    () => ({ method: 'serviceSpans', args: [randomWindow(random)] }),
    () => ({ method: 'resourceActivity', args: [randomWindow(random)] }),
    () => ({ method: 'logCounts', args: [randomWindow(random)] }),
    () => ({ method: 'firstSpanNs', args: [] }),
    () => ({ method: 'hourVersions', args: [] }),
  ]
}

function recordQuestions(random: SeededRandom, known: KnownIds): (() => Question)[] {
  const traceId = () => (random.chance(0.05) ? traceIdOf('404') : random.pick(known.traceIds))
  const spanId = () => (random.chance(0.05) ? spanIdOf('404') : random.pick(known.spanIds))
  const limit = () => random.pick([1, 2, 5, 1000])
  return [
    () => ({ method: 'span', args: [spanId()] }),
    () => ({ method: 'traceSpans', args: [traceId(), limit()] }),
    () => ({ method: 'traceErrorSpans', args: [traceId(), limit()] }),
    () => ({ method: 'traceLogs', args: [traceId(), limit()] }),
    () => ({ method: 'searchTraces', args: [randomFilter(random)] }),
    () => ({ method: 'searchTraces', args: [randomFilter(random)] }),
    () => ({ method: 'searchTraces', args: [randomFilter(random)] }),
    () => ({ method: 'traceFilterOptions', args: [limit()] }),
    () => ({ method: 'searchLogs', args: [randomLogFilter(random), randomPortion(random)] }),
    () => ({ method: 'searchLogs', args: [randomLogFilter(random), randomPortion(random)] }),
    () => ({ method: 'log', args: [random.pick([traceId(), ...known.logIds])] }),
    () => ({ method: 'firstLogOfSpan', args: [spanId()] }),
    () => ({ method: 'logPatterns', args: [randomLogFilter(random), 100_000] }),
    () => ({ method: 'logFilterOptions', args: [limit()] }),
    () => ({ method: 'logs', args: [randomWindow(random), random.pick([1, 20, 1000])] }),
    () => ({ method: 'metricPoints', args: [random.pick(METRICS), randomWindow(random), random.pick([1, 20, 1000])] }),
    () => ({
      method: 'failures',
      args: [randomWindow(random), random.pick([undefined, ...SERVICES, 'nobody']), limit()],
    }),
    () => ({ method: 'sampleSpans', args: [randomWindow(random), randomSampleFilter(random), limit()] }),
    () => ({
      method: 'spansOfTraces',
      args: [random.shuffled(known.traceIds).slice(0, limit()), randomWindow(random), 20],
    }),
    () => ({ method: 'wholeSpans', args: [randomPlaces(random, known)] }),
    () => ({ method: 'pointsOf', args: [random.shuffled(METRICS).slice(0, 2), randomWindow(random), limit()] }),
    () => ({ method: 'metricNames', args: [randomWindow(random)] }),
    () => ({ method: 'drawnTraces', args: [randomWindow(random), 1, { shapesMax: 100_000, gapsPerMinute: 100_000 }] }),
    () => ({ method: 'requestSteps', args: [{ ...randomSteps(random), percentiles: random.chance(0.5) }] }),
    () => ({ method: 'requestSteps', args: [{ ...randomSteps(random), percentiles: random.chance(0.5) }] }),
    () => ({ method: 'logSteps', args: [randomSteps(random)] }),
    () => ({ method: 'sampleLogs', args: [randomWindow(random), 1, 100_000] }),
  ]
}

/** Some of them twice, and some with the trace or the start of another. */
function randomPlaces(random: SeededRandom, { places }: KnownIds): SpanPlace[] {
  const some = random.shuffled(places).slice(0, random.pick([1, 5, 100]))
  const { traceId, startNs } = random.pick(places)
  return some.flatMap((place) =>
    random.pick([[place], [place], [place, place], [{ ...place, traceId }], [{ ...place, startNs }]]),
  )
}

function randomRequestQuestion(random: SeededRandom): RequestQuestion {
  const keys = random.shuffled<RequestKey>(['service', 'operation', 'kind', 'minute'])
  const question: RequestQuestion = {
    window: randomWindow(random),
    by: keys.slice(0, random.below(keys.length + 1)),
    latencies: random.chance(0.7),
  }
  if (random.chance(0.3)) question.stepMinutes = random.pick([2, 5, 30, 60, 120, 1440])
  if (random.chance(0.3)) question.serviceName = random.pick([...SERVICES, 'nobody'])
  if (random.chance(0.2)) question.operationName = random.pick([...OPERATIONS, 'nothing'])
  if (random.chance(0.3)) question.kind = random.pick<SpanKind>(['SERVER', 'CONSUMER', 'CLIENT', 'INTERNAL'])
  return question
}

function randomSteps(random: SeededRandom): StepQuestion {
  const question: StepQuestion = {
    window: randomWindow(random),
    stepMinutes: random.pick([1, 5, 60, 720]),
    filter: random.chance(0.4) ? randomTags(random) : {},
    groupBy: random.pick(['', 'service.name', 'span.name', 'span.kind', 'severity', 'region', 'http.status', 'user']),
  }
  if (random.chance(0.3)) question.serviceName = random.pick([...SERVICES, 'nobody'])
  return question
}

function randomSampleFilter(random: SeededRandom): SampleFilter {
  const filter: SampleFilter = {}
  if (random.chance(0.4)) filter.serviceName = random.pick([...SERVICES, 'nobody'])
  if (random.chance(0.2)) filter.operationName = random.pick([...OPERATIONS, '%'])
  if (random.chance(0.3)) filter.kind = random.pick<SpanKind>(['SERVER', 'CLIENT', 'INTERNAL'])
  if (random.chance(0.3)) filter.status = random.pick<SpanStatus>(['OK', 'ERROR'])
  if (random.chance(0.2)) filter.minDurationNs = random.pick([0n, 499_999n, 500_000_001n])
  if (random.chance(0.2)) filter.maxDurationNs = random.pick([0n, 20_000_000n, 500_000_000n])
  return filter
}

function randomFilter(random: SeededRandom): TraceFilter {
  const filter: TraceFilter = {
    window: randomWindow(random),
    ...randomPortion(random),
  }
  if (random.chance(0.4)) filter.serviceName = random.pick([...SERVICES, 'nobody'])
  if (random.chance(0.3)) filter.operationName = random.pick([...OPERATIONS, 'again', '%'])
  if (random.chance(0.2)) filter.minDurationMs = random.pick([0, 1, 20, 500, 2000])
  if (random.chance(0.2)) filter.maxDurationMs = random.pick([0, 1, 2, 500, 2000])
  if (random.chance(0.4)) filter.status = random.pick<SpanStatus>(['OK', 'ERROR'])
  if (random.chance(0.3)) filter.tags = randomTags(random)
  return filter
}

function randomPortion(random: SeededRandom): Portion {
  return { offset: random.pick([0, 0, 3, 20, 100_000]), limit: random.pick([1, 7, 20, 100]) }
}

function randomLogFilter(random: SeededRandom): LogFilter {
  const filter: LogFilter = { window: randomWindow(random) }
  if (random.chance(0.3)) filter.severityLevel = random.pick(SEVERITY_LEVELS)
  if (random.chance(0.3)) filter.serviceName = random.pick([...SERVICES, 'nobody'])
  if (random.chance(0.4)) filter.words = random.shuffled<string>(WORDS).slice(0, random.below(3))
  if (random.chance(0.3)) filter.attributes = randomTags(random)
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

/** Whole hours, parts of one, everything, and nothing; whole minutes and ragged ones, to the nanosecond. */
function randomWindow(random: SeededRandom): TimeWindow {
  const hour = random.below(HOURS) * MS_PER_HOUR
  const startMs = random.below(HOURS * 3600) * 1000
  const raggedMs = random.below(HOURS * MS_PER_HOUR) + random.pick([0, 0.000001, 0.5])
  return random.pick([
    windowMs(0, HOURS * MS_PER_HOUR),
    windowMs(hour, hour + MS_PER_HOUR),
    windowMs(startMs, startMs + random.pick([1, 60_000, 900_000, 5_400_000])),
    windowMs(raggedMs, raggedMs + random.pick([0.000001, 90_000.25, 4_000_000.999999])),
    windowMs(startMs, hour),
    windowMs(-20 * MS_PER_HOUR, startMs),
  ])
}
