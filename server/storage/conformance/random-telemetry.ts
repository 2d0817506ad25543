import type { LogLiteral } from './log-builder.ts'
import type { PointLiteral } from './metric-builder.ts'
import { HOURS, randomTrace, SERVICES } from './random-spans.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { SpanLiteral } from './span-builder.ts'
import type { Records } from './subject.ts'

export const METRICS = ['queue.length', 'cpu', 'latency'] as const

/** Records of all sorts in random batches, as they would arrive: late, out of order, some of them again with other content. */
export function randomArrivals(random: SeededRandom, traceCount: number): Required<Records>[] {
  const spans = Array.from({ length: traceCount }, () => randomTrace(random)).flat()
  const logs = Array.from({ length: traceCount }, () => randomLog(random, spans))
  const points = Array.from({ length: traceCount }, () => randomPoint(random))
  const spanAgain = (span: SpanLiteral): SpanLiteral => ({
    ...span,
    operation: 'again',
    durationNs: 7n,
    status: 'ERROR',
  })
  const logAgain = (log: LogLiteral): LogLiteral => ({ ...log, body: 'again' })
  const pointAgain = (point: PointLiteral): PointLiteral => ({ ...point, value: -1 })
  const arriving = [
    ...resent(random, spans, spanAgain).map((span) => ({ ...NOTHING, spans: [span] })),
    ...resent(random, logs, logAgain).map((log) => ({ ...NOTHING, logs: [log] })),
    ...resent(random, points, pointAgain).map((point) => ({ ...NOTHING, points: [point] })),
  ]
  return inBatches(random, random.shuffled(arriving))
}

const NOTHING: Required<Records> = { spans: [], logs: [], points: [] }

/** Every tenth row comes again as it was, and every tenth with other content. */
function resent<Row>(random: SeededRandom, rows: Row[], altered: (row: Row) => Row): Row[] {
  return rows.flatMap((row) => {
    const fate = random.below(10)
    return fate === 0 ? [row, row] : fate === 1 ? [row, altered(row)] : [row]
  })
}

function inBatches(random: SeededRandom, arriving: Required<Records>[]): Required<Records>[] {
  const batches: Required<Records>[] = []
  for (let from = 0; from < arriving.length; ) {
    const to = from + 1 + random.below(random.pick([2, 50, 800]))
    const rows = arriving.slice(from, to)
    batches.push({
      spans: rows.flatMap((row) => row.spans),
      logs: rows.flatMap((row) => row.logs),
      points: rows.flatMap((row) => row.points),
    })
    from = to
  }
  return batches
}

function randomLog(random: SeededRandom, spans: SpanLiteral[]): LogLiteral {
  const { trace = '', id = '' } = random.pick(spans)
  return {
    id: random.hex(32),
    ...(random.chance(0.8) ? { trace, span: id } : {}),
    atMs: random.below(HOURS * 360) * 10_000,
    body: randomBody(random),
    attributes: random.pick([{}, { user: 'u1' }, { 'http.status': 502, flag: true }, { flag: 'true' }]),
    severityNumber: random.below(25),
    service: random.pick(SERVICES),
  }
}

export const WORDS = ['Line', 'line', 'timeout', 'TIMEOUT', 'заказ', 'Заказ', 'again', '7'] as const

function randomBody(random: SeededRandom): string {
  const words = random.shuffled<string>(WORDS).slice(0, random.below(4))
  return [...words, `line ${random.below(1000)}`].join(' ')
}

/** Times are coarse, so that series meet in the same moment, also with themselves. */
function randomPoint(random: SeededRandom): PointLiteral {
  return {
    name: random.pick(METRICS),
    type: random.pick(['gauge', 'sum'] as const),
    atMs: random.below(HOURS * 60) * 60_000,
    value: random.below(1000) / 8,
    attributes: random.pick([{}, { queue: 'a' }, { queue: 'b' }]),
    service: random.pick(SERVICES),
  }
}
