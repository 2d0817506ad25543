import { Gauge, type Registry } from 'prom-client'
import type { StoreMeasures, TelemetryStore } from '../storage/telemetry-store.ts'

const GAUGES: Record<keyof StoreMeasures, [name: string, help: string]> = {
  diskBytes: ['faultline_store_disk_bytes', 'Bytes of sealed telemetry on disk.'],
  diskFreeBytes: ['faultline_store_disk_free_bytes', 'Bytes free on the disk of the telemetry store.'],
  unsealedRows: ['faultline_store_unsealed_rows', 'Rows that are durable but not sealed yet.'],
  commits: ['faultline_store_commits', 'Commits since the start.'],
  lastCommitMs: ['faultline_store_last_commit_ms', 'How long the last commit took.'],
  duplicateRows: ['faultline_store_duplicate_rows', 'Rows since the start that were already there.'],
}

/** Gauges for the store's figures. Returns how to bring them up to date, which is done when somebody looks. */
export function createStoreGauges(
  registry: Registry,
  store: Pick<TelemetryStore, 'measure'>,
  diskBudgetBytes: number,
): () => Promise<void> {
  const registers = [registry]
  const gauges = Object.entries(GAUGES).map(([key, [name, help]]) => {
    return { key: key as keyof StoreMeasures, gauge: new Gauge({ name, help, registers }) }
  })
  const resident = new Gauge({ name: 'faultline_resident_bytes', help: 'Resident memory of the process.', registers })
  const budgetHelp = 'Bytes of the disk that telemetry may take.'
  new Gauge({ name: 'faultline_store_disk_budget_bytes', help: budgetHelp, registers }).set(diskBudgetBytes)
  return async () => {
    resident.set(process.memoryUsage.rss())
    const measures = await store.measure()
    for (const { key, gauge } of gauges) gauge.set(measures[key])
  }
}
