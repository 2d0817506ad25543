import { expect, it } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.ts'
import type { TelemetryStore } from '../telemetry-store.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectAgreement } from './expect-agreement.ts'
import { logColumnsOf } from './log-builder.ts'
import { metricPointOf } from './metric-builder.ts'
import { RandomQuestions } from './random-questions.ts'
import { randomArrivals } from './random-telemetry.ts'
import { SeededRandom } from './seeded-random.ts'
import { placeOf, spanColumnsOf } from './span-builder.ts'
import { type Backend, describeWithStore, type Records, type Subject } from './subject.ts'
import { atNs, MS_PER_HOUR } from './test-time.ts'

const SEEDS = [1]
const TRACES_PER_GRID = 400
const QUESTIONS_PER_ROUND = 8
const QUESTIONS_AT_ONCE = 4

/** Random records in two Grids, and random questions about them, compared with the store in memory. */
export function describeAgreement(backend: Backend, seeds = SEEDS): void {
  describeWithStore('agreeing with the plain store in memory', backend, (subject) => {
    it.each(seeds)(
      'answers random questions about random records alike (seed %i)',
      { timeout: 240_000 },
      async (seed) => {
        const run = new Run(subject, seed)
        await run.setApdex()
        for (const quarter of [0, 2]) {
          await run.arrive(quarter)
          await subject.settle()
          await run.arrive(quarter + 1)
          await run.compare()
        }
        await subject.settle()
        await run.compare()
        await subject.reopen()
        await run.setApdex()
        await run.compare()
        await run.expire(atNs(MS_PER_HOUR))
        await run.compareRecords()
      },
    )
  })
}

/** One seed's records on their way into both stores. Two Grids get the same ids, in different batches. */
class Run {
  private readonly subject: Subject
  private readonly oracle: TelemetryStore = createMemoryStore()
  private readonly arrivals: { gridId: string; batches: Required<Records>[] }[]
  private readonly aboutRecords: RandomQuestions
  private readonly aboutFigures: RandomQuestions

  constructor(subject: Subject, seed: number) {
    this.subject = subject
    const random = new SeededRandom(seed)
    const batches = randomArrivals(random, TRACES_PER_GRID)
    const other = batches.slice(batches.length / 2).map(belongingToOthers)
    this.arrivals = [
      { gridId: subject.newGrid(), batches },
      { gridId: subject.newGrid(), batches: other },
    ]
    const spans = batches.flatMap((batch) => batch.spans)
    this.aboutFigures = RandomQuestions.aboutFigures(random)
    this.aboutRecords = RandomQuestions.aboutRecords(random, {
      traceIds: spans.map((span) => traceIdOf(span.trace ?? '')),
      spanIds: spans.map((span) => spanIdOf(span.id ?? '')),
      places: spans.map(placeOf),
      logIds: batches.flatMap((batch) => batch.logs).map((log) => traceIdOf(log.id ?? '')),
    })
    expect(spans.length).toBeGreaterThan(TRACES_PER_GRID)
  }

  async setApdex(): Promise<void> {
    for (const { gridId } of this.arrivals) {
      const thresholds = { defaultMs: 500, byService: { web: 20, nobody: 1 } }
      await Promise.all([this.subject.store.setApdex(gridId, thresholds), this.oracle.setApdex(gridId, thresholds)])
    }
  }

  /** Writes a quarter of each Grid's batches. */
  async arrive(quarter: number): Promise<void> {
    for (const { gridId, batches } of this.arrivals) {
      const count = Math.ceil(batches.length / 4)
      for (const batch of batches.slice(quarter * count, (quarter + 1) * count)) {
        await Promise.all([this.subject.write(gridId, batch), writeAll(this.oracle, gridId, batch)])
      }
    }
  }

  async expire(oldestNs: bigint): Promise<void> {
    const retentions = this.arrivals.map(({ gridId }) => ({ gridId, oldestNs, oldestSumsNs: oldestNs }))
    await Promise.all([this.subject.store.expire(retentions), this.oracle.expire(retentions)])
  }

  async compare(): Promise<void> {
    await this.compareRecords()
    await this.compareAnswers(this.aboutFigures)
  }

  /** Without figures, which may outlive the records that they were made from. */
  async compareRecords(): Promise<void> {
    await this.compareAnswers(this.aboutRecords)
  }

  /** Several questions are under way at once, as callers have them. */
  private async compareAnswers(random: RandomQuestions): Promise<void> {
    for (const { gridId } of this.arrivals) {
      const [reader, oracle] = [this.subject.reader(gridId), this.oracle.reader(gridId)]
      for (let asked = 0; asked < QUESTIONS_PER_ROUND; asked += QUESTIONS_AT_ONCE) {
        const questions = Array.from({ length: QUESTIONS_AT_ONCE }, () => random.next())
        await Promise.all(questions.map((each) => expectAgreement(reader, oracle, each)))
      }
    }
  }
}

function belongingToOthers({ spans, logs, points }: Required<Records>): Required<Records> {
  return {
    spans: spans.map((span) => ({ ...span, resource: { ...span.resource, owner: 'other' } })),
    logs: logs.map((log) => ({ ...log, body: `${log.body} of others` })),
    points: points.map((point) => ({ ...point, description: 'of others' })),
  }
}

async function writeAll(
  store: TelemetryStore,
  gridId: string,
  { spans, logs, points }: Required<Records>,
): Promise<void> {
  await store.writeSpans(gridId, spanColumnsOf(spans))
  await store.writeLogs(gridId, logColumnsOf(logs))
  await store.writeMetrics(gridId, points.map(metricPointOf))
}
