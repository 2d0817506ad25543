import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { traceIdOf } from '../../conformance/column-filling.ts'
import { logColumnsOf } from '../../conformance/log-builder.ts'
import { metricPointOf } from '../../conformance/metric-builder.ts'
import { spanColumnsOf } from '../../conformance/span-builder.ts'
import type { Records } from '../../conformance/subject.ts'
import { WHOLE_WINDOW } from '../../conformance/test-time.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { openDuckDbStore } from '../open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS, type DuckDbOptions } from '../options.ts'

export const GRID = '11111111-1111-4111-8111-111111111111'
export const OTHER_GRID = '22222222-2222-4222-8222-222222222222'
export const ALL_TRACES = { window: WHOLE_WINDOW, offset: 0, limit: 100 }

/** Test folders, and the stores that were opened on them. */
export class TestStores {
  readonly warnings: string[] = []
  readonly breakages: Error[] = []
  private readonly folders: string[] = []
  private readonly opened = new Set<DuckDbStore>()

  async newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'faultline-duckdb-'))
    this.folders.push(folder)
    return folder
  }

  async open(folder: string, options: Partial<DuckDbOptions> = {}): Promise<DuckDbStore> {
    const warn = (message: string) => this.warnings.push(message)
    const all = { ...DEFAULT_DUCKDB_OPTIONS, minFreeDiskBytes: 0, threads: 1, folder, warn, ...options }
    const store = await openDuckDbStore(all, (error) => this.breakages.push(error))
    this.opened.add(store)
    return store
  }

  /** For after each test. */
  async dispose(): Promise<void> {
    for (const store of this.opened) await store.close()
    for (const folder of this.folders) await rm(folder, { recursive: true, force: true })
    this.opened.clear()
    this.folders.length = 0
    this.warnings.length = 0
    this.breakages.length = 0
  }
}

export async function write(store: DuckDbStore, gridId: string, records: Records): Promise<void> {
  const { spans = [], logs = [], points = [] } = records
  await Promise.all([
    store.writeSpans(gridId, spanColumnsOf(spans)),
    store.writeLogs(gridId, logColumnsOf(logs)),
    store.writeMetrics(gridId, points.map(metricPointOf)),
  ])
}

/** Names of all records that a Grid holds, as often as each question finds them. */
export async function namesIn(store: DuckDbStore, gridId: string): Promise<string[]> {
  const reader = store.reader(gridId)
  const { items, totalCount } = await reader.searchTraces(ALL_TRACES)
  const traces = await Promise.all(items.map(({ traceId }) => reader.traceSpans(traceId, 1000)))
  const logs = await reader.logs(WHOLE_WINDOW, 1000)
  const points = await reader.metricPoints('queue.length', WHOLE_WINDOW, 1000)
  if (totalCount !== items.length) throw new Error(`${totalCount} traces were counted and ${items.length} found`)
  return [
    ...traces.flatMap(({ spans }) => spans.map(({ traceId, spanId }) => spanName(traceId, spanId))),
    ...logs.map((log) => `log ${log.body}`),
    ...points.map((point) => `point ${point.value}`),
  ].sort()
}

/** The names of records given as literals. */
export function namesOf({ spans = [], logs = [], points = [] }: Records): string[] {
  return [
    ...spans.map(({ trace = '1', id = '1' }) => spanName(traceIdOf(trace), id)),
    ...logs.map((log) => `log ${log.body}`),
    ...points.map((point) => `point ${point.value}`),
  ].sort()
}

function spanName(traceId: string, spanId: string): string {
  return `span ${traceId.replace(/^0+/, '')}/${spanId.replace(/^0+/, '')}`
}
