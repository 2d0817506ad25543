import { afterAll, beforeAll, describe } from 'vitest'
import type { TelemetryReader, TelemetryStore } from '../telemetry-store.ts'
import { type LogLiteral, logColumnsOf } from './log-builder.ts'
import { metricPointOf, type PointLiteral } from './metric-builder.ts'
import { type SpanLiteral, spanColumnsOf } from './span-builder.ts'

/** A new, empty store of the backend under test. */
export interface OpenedStore {
  store: TelemetryStore
  /** Closes the store and opens it again on the same data. A backend that keeps nothing leaves it out. */
  reopen?: () => Promise<TelemetryStore>
  /** Resolves once every acknowledged row is in its final place. A backend with one place for all leaves it out. */
  settle?: () => Promise<void>
  /** Removes what the store leaves behind; called after the store was closed. */
  dispose?: () => Promise<void>
}

export interface Backend {
  name: string
  open: () => Promise<OpenedStore>
}

export interface Records {
  spans?: SpanLiteral[]
  logs?: LogLiteral[]
  points?: PointLiteral[]
}

/** One open store that the tests of an area share; each test has Grids of its own. */
export class Subject {
  private readonly backend: Backend
  private opened: OpenedStore | undefined
  private gridCount = 0

  constructor(backend: Backend) {
    this.backend = backend
  }

  async open(): Promise<void> {
    this.opened = await this.backend.open()
  }

  async close(): Promise<void> {
    await this.opened?.store.close()
    await this.dispose()
  }

  /** For a test that closed the store itself. */
  async dispose(): Promise<void> {
    await this.opened?.dispose?.()
  }

  get store(): TelemetryStore {
    return this.current.store
  }

  get canReopen(): boolean {
    return this.current.reopen !== undefined
  }

  /** Readers made before are of no use afterwards. */
  async reopen(): Promise<void> {
    if (this.current.reopen) this.current.store = await this.current.reopen()
  }

  async settle(): Promise<void> {
    await this.current.settle?.()
  }

  newGrid(): string {
    this.gridCount++
    return `5eed0000-0000-4000-8000-${this.gridCount.toString(16).padStart(12, '0')}`
  }

  reader(gridId: string): TelemetryReader {
    return this.store.reader(gridId)
  }

  async write(gridId: string, { spans = [], logs = [], points = [] }: Records): Promise<void> {
    const writes: Promise<void>[] = []
    if (spans.length > 0) writes.push(this.store.writeSpans(gridId, spanColumnsOf(spans)))
    if (logs.length > 0) writes.push(this.store.writeLogs(gridId, logColumnsOf(logs)))
    if (points.length > 0) writes.push(this.store.writeMetrics(gridId, points.map(metricPointOf)))
    await Promise.all(writes)
  }

  private get current(): OpenedStore {
    if (!this.opened) throw new Error('the store is opened before the first test')
    return this.opened
  }
}

/**
 * A group of tests with one store for all of them. Tests that settle are in another group than such as have Grids filled before
 * them (`answersWherever`): settling moves the rows of every Grid in the store.
 */
export function describeWithStore(title: string, backend: Backend, tests: (subject: Subject) => void): void {
  describe(title, () => {
    const subject = new Subject(backend)
    beforeAll(() => subject.open())
    afterAll(() => subject.close())
    tests(subject)
  })
}
