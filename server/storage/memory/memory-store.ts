import { type ApdexThresholds, DEFAULT_APDEX_THRESHOLD_MS } from '../../domain/apdex.ts'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import type { TelemetryStore } from '../telemetry-store.ts'
import { addNew, createGridRows, firstHourNs, type GridRows, pointKey, removeOlder, spanKey } from './grid-rows.ts'
import { createMemoryReader } from './memory-reader.ts'
import { hoursOf, removeMatching } from './record-deletion.ts'
import { logsOf, spansOf } from './rows-of-columns.ts'

/**
 * Every promise of the store's interface but durability, by the plainest means: rows in memory, each question a scan of
 * all of them. It is what other backends are compared with in tests, so it is to be obviously right, not fast.
 */
export function createMemoryStore(): TelemetryStore {
  const grids = new Map<string, GridRows>()
  const apdex = new Map<string, ApdexThresholds>()
  let closed = false
  let commits = 0
  let duplicateRows = 0

  const assertOpen = (): void => {
    if (closed) throw new StoreUnavailable('The store is closed.')
  }
  const rowsOf = (gridId: string): GridRows => {
    assertOpen()
    return grids.get(gridId) ?? createGridRows()
  }
  const thresholdsOf = (gridId: string): ApdexThresholds =>
    apdex.get(gridId) ?? { defaultMs: DEFAULT_APDEX_THRESHOLD_MS, byService: {} }
  const write = (gridId: string, add: (rows: GridRows) => number): void => {
    const rows = rowsOf(gridId)
    grids.set(gridId, rows)
    duplicateRows += add(rows)
    commits++
  }

  return {
    async writeSpans(gridId, columns) {
      write(gridId, ({ spans }) => addNew(spans, spansOf(columns), (span) => spanKey(span.traceId, span.spanId)))
    },
    async writeLogs(gridId, columns) {
      write(gridId, ({ logs }) => addNew(logs, logsOf(columns), (log) => log.id))
    },
    async writeMetrics(gridId, added) {
      write(gridId, ({ points }) => addNew(points, structuredClone(added), pointKey))
    },
    reader(gridId) {
      return createMemoryReader(
        () => rowsOf(gridId),
        () => thresholdsOf(gridId),
      )
    },
    async expire(retentions) {
      assertOpen()
      for (const { gridId, oldestNs } of retentions) removeOlder(rowsOf(gridId), oldestNs)
    },
    fitInto: async () => [],
    async usage(gridId) {
      const firstNs = firstHourNs(rowsOf(gridId))
      return { bytes: 0, recordsFromNs: firstNs, sumsFromNs: firstNs }
    },
    async setApdex(gridId, thresholds) {
      assertOpen()
      apdex.set(gridId, structuredClone(thresholds))
    },
    async dropGrid(gridId) {
      assertOpen()
      grids.delete(gridId)
      apdex.delete(gridId)
    },
    async settledHours(gridId) {
      return hoursOf(rowsOf(gridId))
    },
    async deleteRecords(gridId, hour, match) {
      return removeMatching(rowsOf(gridId), hour, match)
    },
    files: async () => [],
    holdFiles: async () => [],
    releaseFiles: async () => true,
    async measure() {
      assertOpen()
      const disk = { diskBytes: 0, diskFreeBytes: Number.MAX_SAFE_INTEGER }
      return { ...disk, unsealedRows: 0, commits, lastCommitMs: 0, duplicateRows }
    },
    async close() {
      closed = true
    },
  }
}
