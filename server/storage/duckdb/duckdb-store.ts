import { statfs } from 'node:fs/promises'
import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { StoreUnavailable, StoreUnusable } from '../../domain/store-errors.ts'
import type { Retention, StoreMeasures, TelemetryReader, TelemetryStore } from '../telemetry-store.ts'
import { Committer } from './committer.ts'
import { compactHour, isClosed } from './compactor.ts'
import { Database } from './database.ts'
import { HourFiles } from './hour-files.ts'
import { hourOf, type Layout, openLayout } from './layout.ts'
import { OpenFiles } from './open-files.ts'
import { PendingRows } from './pending-rows.ts'
import { createReader } from './reader.ts'
import { RecentKeys } from './recent-keys.ts'

export interface DuckDbOptions {
  folder: string
  memoryLimitBytes: number
  threads: number
  queryTimeoutMs: number
  /** With less free disk than this, writing is refused and reading goes on. */
  minFreeDiskBytes: number
  /** An open file is sealed when it has this many rows, or is this old. */
  openRowsMax: number
  openAgeMaxMs: number
  warn: (message: string) => void
}

export const DEFAULT_DUCKDB_OPTIONS = {
  memoryLimitBytes: 384 * 1024 * 1024,
  threads: 2,
  queryTimeoutMs: 30_000,
  minFreeDiskBytes: 1024 * 1024 * 1024,
  openRowsMax: 250_000,
  openAgeMaxMs: 10 * 60_000,
}

/** Retries come within minutes; at 20,000 records a second this remembers two and a half to five of them. */
const RECENT_KEYS = 3_000_000
const CHECK_INTERVAL_MS = 1_000
const COMPACT_INTERVAL_MS = 60_000

/** The embedded telemetry store. One thread of one process owns the folder. */
export async function openDuckDbStore(options: DuckDbOptions): Promise<DuckDbStore> {
  const layout = await openLayout(options.folder)
  const database = await Database.open({ ...options, temporaryFolder: layout.temporaryFolder })
  await lockFolder(database, layout)
  const maintenance = await database.connect()
  const hourFiles = await HourFiles.open(maintenance, layout, options.warn)
  const keys = new RecentKeys(RECENT_KEYS)
  const openFiles = await OpenFiles.open(database, layout, hourFiles, keys, options)
  const pending = new PendingRows(keys)
  const committer = await Committer.open(
    await database.connect(),
    pending,
    { committed: (file) => openFiles.afterCommit(file), failed: () => openFiles.reloadKeys() },
    openFiles.current,
  )
  const store = new DuckDbStore(options, layout, database, hourFiles, openFiles, pending, committer)
  await store.check()
  return store
}

async function lockFolder(database: Database, layout: Layout): Promise<void> {
  const session = await database.connect()
  await session.run(`ATTACH '${layout.lockFile.replaceAll("'", "''")}' AS folder_lock`).catch((error: Error) => {
    if (!/lock/i.test(error.message)) throw error
    throw new StoreUnusable(`the data folder ${layout.root} is in use by another process`)
  })
  session.close()
}

export class DuckDbStore implements TelemetryStore {
  private readonly options: DuckDbOptions
  private readonly layout: Layout
  private readonly database: Database
  private readonly hourFiles: HourFiles
  private readonly openFiles: OpenFiles
  private readonly pending: PendingRows
  private readonly committer: Committer
  private readonly checkTimer: NodeJS.Timeout
  private readonly compactTimer: NodeJS.Timeout
  private diskFreeBytes = Number.POSITIVE_INFINITY
  private compacting: Promise<void> | undefined
  private closed = false

  constructor(
    options: DuckDbOptions,
    layout: Layout,
    database: Database,
    hourFiles: HourFiles,
    openFiles: OpenFiles,
    pending: PendingRows,
    committer: Committer,
  ) {
    this.options = options
    this.layout = layout
    this.database = database
    this.hourFiles = hourFiles
    this.openFiles = openFiles
    this.pending = pending
    this.committer = committer
    this.checkTimer = setInterval(() => void this.check(), CHECK_INTERVAL_MS)
    this.compactTimer = setInterval(() => void this.compact(Date.now()).catch(this.warn), COMPACT_INTERVAL_MS)
    this.checkTimer.unref()
    this.compactTimer.unref()
  }

  async writeSpans(gridId: string, spans: SpanColumns): Promise<void> {
    this.ensureWritable()
    this.pending.addSpans(gridId, spans)
    await this.committer.durable()
  }

  async writeLogs(gridId: string, logs: LogColumns): Promise<void> {
    this.ensureWritable()
    this.pending.addLogs(gridId, logs)
    await this.committer.durable()
  }

  async writeMetrics(gridId: string, points: MetricPoint[]): Promise<void> {
    this.ensureWritable()
    this.pending.addPoints(gridId, points)
    await this.committer.durable()
  }

  reader(gridId: string): TelemetryReader {
    return createReader(async (window, question) => {
      this.ensureOpen()
      return await this.openFiles.ask(gridId, window, question)
    })
  }

  async expire(retentions: Retention[]): Promise<void> {
    this.ensureOpen()
    const isExpired = (gridId: string, hour: number) =>
      retentions.some((retention) => retention.gridId === gridId && hour < hourOf(retention.oldestNs))
    if (this.openFiles.has(isExpired)) await this.settle()
    for (const { gridId, oldestNs } of retentions)
      for (const hour of this.hourFiles.hours(gridId)) {
        const file = this.hourFiles.find(gridId, hour)
        if (file && hour < hourOf(oldestNs))
          await this.hourFiles.exclusively(gridId, hour, () => this.hourFiles.remove(file))
      }
  }

  async dropGrid(gridId: string): Promise<void> {
    this.ensureOpen()
    await this.settle()
    await this.expire([{ gridId, oldestNs: 1n << 62n }])
    await this.openFiles.reloadKeys()
  }

  /** Seals everything that is committed now; questions give the same answers before, during and after. */
  async settle(): Promise<void> {
    await this.openFiles.settle(() => this.committer.durable())
  }

  /** Rewrites, one after another, the hours that are closed and were sealed in pieces. */
  async compact(nowMs: number): Promise<void> {
    this.compacting ??= this.compactOnce(nowMs).finally(() => {
      this.compacting = undefined
    })
    await this.compacting
  }

  async measure(): Promise<StoreMeasures> {
    this.ensureOpen()
    return {
      diskBytes: await this.hourFiles.diskBytes(),
      diskFreeBytes: this.diskFreeBytes,
      unsealedRows: this.openFiles.unsealedRows,
      commits: this.committer.commits,
      lastCommitMs: this.committer.lastCommitMs,
      duplicateRows: this.pending.duplicates,
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    clearInterval(this.checkTimer)
    clearInterval(this.compactTimer)
    await this.compacting?.catch(() => undefined)
    await this.committer.close()
    await this.openFiles.close()
    this.database.close()
  }

  /** Looks at the disk, and seals rows that have waited for long. */
  async check(): Promise<void> {
    if (this.openFiles.isOld) void this.settle().catch(() => undefined)
    const { bavail, bsize } = await statfs(this.layout.root)
    this.diskFreeBytes = bavail * bsize
  }

  private async compactOnce(nowMs: number): Promise<void> {
    const session = await this.database.connect()
    try {
      for (const { gridId, hour } of this.hourFiles.all())
        if (!this.closed && isClosed(hour, nowMs)) await compactHour(session, this.hourFiles, this.layout, gridId, hour)
    } finally {
      session.close()
    }
  }

  private readonly warn = (error: Error) => {
    this.options.warn(`compacting failed and will be tried again: ${error.message.split('\n', 1)[0]}`)
  }

  private ensureOpen(): void {
    if (this.closed) throw new StoreUnavailable('the store is closed')
  }

  private ensureWritable(): void {
    this.ensureOpen()
    if (this.diskFreeBytes < this.options.minFreeDiskBytes) {
      const free = Math.floor(this.diskFreeBytes / 1_048_576)
      const wanted = Math.floor(this.options.minFreeDiskBytes / 1_048_576)
      throw new StoreUnavailable(`the disk is nearly full: ${free} MiB free, ${wanted} MiB are kept free`)
    }
    if (this.openFiles.isBehind) throw new StoreUnavailable('the store is behind with sealing; try again shortly')
  }
}
