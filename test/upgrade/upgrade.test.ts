import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteControlStore } from '../../server/control/sqlite/open-control-store.ts'
import { countsOf } from '../../server/domain/latencies.ts'
import { type TimeWindow, windowOfMs } from '../../server/domain/time-window.ts'
import type { RequestGroup } from '../../server/storage/diagnostics-reader.ts'
import type { DuckDbStore } from '../../server/storage/duckdb/duckdb-store.ts'
import { runCli } from '../cli-process.ts'
import { GRID_ID, OWNER_KEY } from '../server-process.ts'
import { openStoredTelemetry } from '../stored-telemetry.ts'

const HOUR_MS = 3_600_000
const STORES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.tgz'))

/** What `write-store.mjs` has written, as questions of every kind find it. */
const WRITTEN = {
  traceCount: 4,
  spansOfTraces: [[1, 2, 3, 8], [4, 5], [6], [7]],
  linksOfSeven: [1],
  failedSpans: 2,
  requests: { mail: [1, 0], shop: [4, 1], stock: [2, 1] },
  /** Each took 100 ms. */
  buckets: { mail: { 930: 1 }, shop: { 930: 4 }, stock: { 930: 2 } },
  edges: [['shop', 'stock', 1]],
  logs: ['sealed', 'open'],
  lengths: [6, 4],
  waits: 2,
}

async function everything(store: DuckDbStore, window: TimeWindow): Promise<typeof WRITTEN> {
  const reader = store.reader(GRID_ID)
  const spansOf = async (trace: number) => (await reader.traceSpans(hex(trace, 32), 10)).spans
  const requests = await reader.requests({ window, by: ['service'], latencies: false })
  const byMinute = await reader.requests({ window, by: ['service', 'minute'], latencies: true })
  const edges = await reader.edges(window)
  const [seventh, failed] = [await reader.span(hex(7, 16)), await reader.failures(window, undefined, 10)]
  return {
    traceCount: (await reader.searchTraces({ window, offset: 0, limit: 10 })).totalCount,
    spansOfTraces: (await Promise.all([1, 2, 3, 4].map(spansOf))).map((spans) => spans.map(numberOf).sort()),
    linksOfSeven: seventh?.links.map(numberOf) ?? [],
    failedSpans: failed.count,
    requests: Object.fromEntries(
      requests.map(({ serviceName, requestCount, errorCount }) => [serviceName, [requestCount, errorCount]]),
    ) as typeof WRITTEN.requests,
    buckets: bucketsOf(byMinute) as typeof WRITTEN.buckets,
    edges: edges.map(({ sourceName, targetName, requestCount }) => [sourceName, targetName, requestCount]),
    logs: (await reader.logs(window, 10)).map(({ body }) => String(body)),
    lengths: (await reader.metricPoints('queue.length', window, 10)).map(({ value }) => Number(value)),
    waits: (await reader.metricPoints('waits', window, 10)).length,
  }
}

function bucketsOf(groups: RequestGroup[]): Record<string, Record<number, number>> {
  const services: Record<string, Record<number, number>> = {}
  for (const { serviceName, latencies } of groups) {
    const counts = services[serviceName] ?? {}
    services[serviceName] = counts
    for (const [bucket, count] of countsOf(latencies)) counts[bucket] = (counts[bucket] ?? 0) + count
  }
  return services
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}

function numberOf({ spanId }: { spanId: string }): number {
  return Number.parseInt(spanId, 16)
}

describe.each(STORES)('the data folder %s of an earlier program', (archive) => {
  let folder: string
  let dataDir: string
  let window: TimeWindow
  let readerKey: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faultline-upgrade-'))
    dataDir = join(folder, 'data')
    await mkdir(dataDir)
    execFileSync('tar', ['xzf', join(import.meta.dirname, archive), '-C', dataDir])
    const written = JSON.parse(await readFile(join(dataDir, 'written.json'), 'utf8'))
    readerKey = written.readerKey
    window = windowOfMs(written.startMs, written.startMs + 4 * HOUR_MS)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is read to its last record, also after it was sealed, compacted and opened again', async () => {
    const warnings: string[] = []
    let store = await openStoredTelemetry(dataDir, warnings)
    expect(await everything(store, window)).toEqual(WRITTEN)
    await store.settle()
    expect(await everything(store, window)).toEqual(WRITTEN)
    await store.compact(Number(window.endNs / 1_000_000n) + 24 * HOUR_MS)
    expect(await everything(store, window)).toEqual(WRITTEN)
    await store.close()
    store = await openStoredTelemetry(dataDir, warnings)
    expect(await everything(store, window)).toEqual(WRITTEN)
    await store.close()
    expect(warnings).toEqual([])
  })

  it('has its control data brought up to date', async () => {
    const control = await openSqliteControlStore(join(dataDir, 'control.sqlite'))
    expect(await control.grids.find(GRID_ID)).toMatchObject({ rawRetentionDays: 3, aggregateRetentionDays: 30 })
    expect(await control.keys.findBySecret(OWNER_KEY, Date.now())).toMatchObject({ role: 'Owner' })
    expect(await control.keys.findBySecret(readerKey, Date.now())).toMatchObject({ role: 'Guest', name: 'reader' })
    expect(await control.members.roleOf(GRID_ID, ['ann@example.com'])).toBe('User')
    // The earliest program kept no note of what was changed.
    expect([0, 3]).toContain((await control.audit.list({ offset: 0, limit: 10 })).totalCount)
    expect((await control.alerts.rules.list(GRID_ID)).length).toBeGreaterThan(0)
    await control.close()
  })

  it('is backed up and restored by this program', async () => {
    const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')]
    expect(await runCli(['backup', backup, '--data-dir', dataDir], {})).toMatchObject({ exitCode: 0 })
    expect(await runCli(['restore', backup, '--data-dir', restored], {})).toMatchObject({ exitCode: 0 })
    const store = await openStoredTelemetry(restored)
    expect(await everything(store, window)).toEqual(WRITTEN)
    await store.close()
  })
})
