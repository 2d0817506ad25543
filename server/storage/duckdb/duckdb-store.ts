import { type ApdexThresholds, DEFAULT_APDEX } from '../../domain/apdex.ts'
import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import type { RecordCounts, RecordMatch } from '../../domain/record-match.ts'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import type {
  DiskBudgets,
  GridUsage,
  Retention,
  RoomMade,
  StoredFile,
  StoreMeasures,
  TelemetryReader,
  TelemetryStore,
} from '../telemetry-store.ts'
import { Committer } from './committer.ts'
import { Database } from './database.ts'
import { type DiskGuard, openDiskGuard } from './disk-guard.ts'
import { DiskRoom } from './disk-room.ts'
import { endThread } from './end-thread.ts'
import { InMemory } from './figures/in-memory.ts'
import { KeptSteps } from './figures/kept-steps.ts'
import { lockFolder } from './folder-lock.ts'
import { Gate } from './gate.ts'
import { gridUsage } from './grid-usage.ts'
import { HeldFiles } from './held-files.ts'
import { type FirstSpan, hourVersions } from './history-questions.ts'
import { HourFiles } from './hour-files.ts'
import { clearTemporary, hourOf, isGridId, type Layout, openLayout, removeGridFiles } from './layout.ts'
import { LiveSpans } from './live/live-spans.ts'
import { lastSealed, loadKeys } from './load-keys.ts'
import { loadLastSpans, replayOpenFile } from './load-live.ts'
import { OpenFiles } from './open-files.ts'
import type { DuckDbOptions } from './options.ts'
import { PendingRows } from './pending-rows.ts'
import { type Ask, createReader } from './reader.ts'
import { RecentKeys } from './recent-keys.ts'
import { DayFiles } from './rolled/day-files.ts'
import { RolledPoints } from './rolled/rolled-points.ts'
import { Scope } from './scope.ts'
import { Upkeep } from './upkeep.ts'

/** Retries come within minutes; at 20,000 records a second this remembers one and a half to three of them. */
const RECENT_KEYS = 2_000_000
/** A day of 50 lines in steps of five minutes takes about 1 MB. */
const KEPT_STEPS_BYTES = 16 * 1024 * 1024
const CHECK_INTERVAL_MS = 1_000

/**
 * The embedded telemetry store. One thread of one process owns the folder. Where the store can do nothing more, `broken` is
 * called, and the process should end and be started again: the next one finds all that was acknowledged.
 */
export async function openDuckDbStore(options: DuckDbOptions, broken = endThread): Promise<DuckDbStore> {
  const layout = await openLayout(options.folder)
  const database = await Database.open({ ...options, temporaryFolder: layout.temporaryFolder }, broken)
  try {
    await lockFolder(database, layout)
    await clearTemporary(layout)
    return await openOn(database, layout, options, broken)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openOn(
  database: Database,
  layout: Layout,
  options: DuckDbOptions,
  broken: (error: Error) => void,
): Promise<DuckDbStore> {
  const disk = await openDiskGuard(layout.root, options.minFreeDiskBytes)
  const keys = new RecentKeys(RECENT_KEYS)
  const apdex = new Map<string, ApdexThresholds>()
  const live = new LiveSpans((gridId) => apdexOf(apdex, gridId), options.keptSpans, options.keptSumsBytes)
  const pending = new PendingRows(keys, live)
  const lost = (gridId: string, hour: number) => pending.forget(gridId, hour)
  const maintenance = await database.connect()
  const hourFiles = await HourFiles.open(maintenance, layout, {
    ...options,
    lost,
    replaced: (file, successor) => live.kept.replaced(file, successor),
  })
  // A connection apart: it writes, and a file that is brought up to date meanwhile has a transaction of its own.
  const roller = await database.connect()
  const dayFiles = await DayFiles.open(roller, hourFiles, layout, options)
  const rolledPoints = new RolledPoints(dayFiles, roller, hourFiles, layout)
  const sealing = new Gate()
  const openFiles = await OpenFiles.open(database, layout, hourFiles, {
    ...options,
    gate: sealing,
    hasRoom: () => disk.hasRoom,
    live,
    rolledPoints,
  })
  const newest = await lastSealed(hourFiles)
  await loadKeys(maintenance, keys, openFiles.all, hourFiles, newest)
  await loadLastSpans(maintenance, live, newest, hourFiles)
  for (const file of openFiles.all) await replayOpenFile(maintenance, live, hourFiles, file)
  const committer = await Committer.open(
    await database.connect(),
    pending,
    {
      room: () => openFiles.room(),
      successorOf: (file, leave) => openFiles.successorOf(file, leave),
      moved: (from, to) => openFiles.moved(from, to),
      unusable: (successor) => openFiles.unusable(successor),
      warn: options.warn,
      broken,
    },
    openFiles.current,
  )
  openFiles.sealLeft()
  return new DuckDbStore({
    options,
    layout,
    database,
    disk,
    hourFiles,
    dayFiles,
    rolledPoints,
    openFiles,
    sealing,
    live,
    pending,
    committer,
    apdex,
  })
}

function apdexOf(apdex: Map<string, ApdexThresholds>, gridId: string): ApdexThresholds {
  return apdex.get(gridId) ?? DEFAULT_APDEX
}

/** The parts that a store is put together from. */
interface Parts {
  options: DuckDbOptions
  layout: Layout
  database: Database
  disk: DiskGuard
  hourFiles: HourFiles
  dayFiles: DayFiles
  rolledPoints: RolledPoints
  openFiles: OpenFiles
  sealing: Gate
  pending: PendingRows
  committer: Committer
  /** Of the Grids that have thresholds of their own. */
  apdex: Map<string, ApdexThresholds>
  live: LiveSpans
}

export class DuckDbStore implements TelemetryStore {
  private readonly parts: Parts
  private readonly checkTimer: NodeJS.Timeout
  private readonly keptSteps = new KeptSteps(KEPT_STEPS_BYTES)
  private readonly firstSpans = new Map<string, FirstSpan>()
  private readonly upkeep: Upkeep
  private readonly held: HeldFiles
  private readonly room: DiskRoom
  private closing: Promise<void> | undefined

  constructor(parts: Parts) {
    this.parts = parts
    this.upkeep = new Upkeep({ ...parts, warn: parts.options.warn })
    this.held = new HeldFiles({ ...parts, rewriting: this.upkeep.rewriting, settle: () => this.settle() })
    this.room = new DiskRoom({ ...parts, upkeep: this.upkeep, unsealedBytes: () => parts.openFiles.logBytes })
    this.checkTimer = setInterval(() => this.check(), CHECK_INTERVAL_MS)
    this.checkTimer.unref()
  }

  async writeSpans(gridId: string, spans: SpanColumns): Promise<void> {
    this.ensureWritable(gridId)
    this.parts.pending.addSpans(gridId, spans)
    await this.parts.committer.durable()
  }

  async writeLogs(gridId: string, logs: LogColumns): Promise<void> {
    this.ensureWritable(gridId)
    this.parts.pending.addLogs(gridId, logs)
    await this.parts.committer.durable()
  }

  async writeMetrics(gridId: string, points: MetricPoint[]): Promise<void> {
    this.ensureWritable(gridId)
    this.parts.pending.addPoints(gridId, points)
    await this.parts.committer.durable()
  }

  reader(gridId: string): TelemetryReader {
    const { database, hourFiles, rolledPoints, openFiles, live } = this.parts
    const files = {
      hourFiles,
      rolledPoints,
      live,
      openFiles: () => {
        this.ensureOpen()
        return openFiles.all
      },
    }
    const ask: Ask = async (window, question) => {
      this.ensureOpen()
      return await Scope.ask(database, files, gridId, window, question)
    }
    return createReader(ask, new InMemory(gridId, files, ask), {
      keptSteps: this.keptSteps,
      apdex: () => apdexOf(this.parts.apdex, gridId),
      hourVersions: () => {
        this.ensureOpen()
        return hourVersions(hourFiles, openFiles.all, gridId)
      },
      firstSpan: () => this.firstSpans.get(gridId),
      firstSpanFound: (first) => this.firstSpans.set(gridId, first),
    })
  }

  async expire(retentions: Retention[]): Promise<void> {
    this.ensureOpen()
    const { openFiles } = this.parts
    const oldestHours = new Map(retentions.map(({ gridId, oldestNs }) => [gridId, hourOf(oldestNs)]))
    const isExpired = (gridId: string, hour: number) => hour < (oldestHours.get(gridId) ?? Number.NEGATIVE_INFINITY)
    if (openFiles.has(isExpired)) await this.settle()
    for (const { gridId, oldestSumsNs } of retentions) {
      await this.upkeep.removeHours(gridId, (hour) => hour < hourOf(oldestSumsNs) && isExpired(gridId, hour))
      await this.upkeep.stripHours(gridId, (hour) => isExpired(gridId, hour))
    }
  }

  async fitInto(budgets: DiskBudgets, nowMs: number): Promise<RoomMade[]> {
    this.ensureOpen()
    return await this.room.fitInto(budgets, nowMs)
  }

  async usage(gridId: string): Promise<GridUsage> {
    this.ensureOpen()
    return await gridUsage(this.parts, this.parts.openFiles.all, gridId)
  }

  async setApdex(gridId: string, thresholds: ApdexThresholds): Promise<void> {
    this.ensureOpen()
    this.parts.apdex.set(gridId, thresholds)
  }

  async dropGrid(gridId: string): Promise<void> {
    await this.settle()
    await this.upkeep.removeHours(gridId, () => true)
    await removeGridFiles(this.parts.layout, gridId)
    this.parts.pending.forget(gridId)
    this.parts.apdex.delete(gridId)
    this.firstSpans.delete(gridId)
  }

  async settledHours(gridId: string): Promise<number[]> {
    await this.settle()
    return this.parts.hourFiles.hours(gridId).sort((a, b) => a - b)
  }

  async deleteRecords(gridId: string, hour: number, match: RecordMatch): Promise<RecordCounts> {
    this.ensureOpen()
    return await this.upkeep.deleteRecords(gridId, hour, match)
  }

  /** Seals everything that is committed now; questions give the same answers before, during and after. */
  async settle(): Promise<void> {
    this.ensureOpen()
    await this.parts.committer.leaveFile()
    await this.parts.openFiles.sealed()
  }

  /** Rewrites, one after another, the hours that are closed and were sealed in pieces. */
  async compact(nowMs: number, leftAloneMs = 0): Promise<void> {
    this.ensureOpen()
    await this.upkeep.compact(nowMs, leftAloneMs)
  }

  async files(): Promise<StoredFile[]> {
    this.ensureOpen()
    return await this.held.atRest()
  }

  async holdFiles(): Promise<StoredFile[]> {
    this.ensureOpen()
    return await this.held.hold()
  }

  async releaseFiles(): Promise<boolean> {
    this.ensureOpen()
    return this.held.release()
  }

  async measure(): Promise<StoreMeasures> {
    this.ensureOpen()
    const { hourFiles, dayFiles, openFiles, committer, pending, disk } = this.parts
    return {
      diskBytes: (await hourFiles.diskBytes()) + (await dayFiles.diskBytes()) + openFiles.logBytes,
      diskFreeBytes: disk.freeBytes,
      unsealedRows: openFiles.unsealedRows,
      commits: committer.commits,
      lastCommitMs: committer.lastCommitMs,
      duplicateRows: pending.duplicates,
    }
  }

  async close(): Promise<void> {
    this.closing ??= this.closeParts()
    await this.closing
  }

  private async closeParts(): Promise<void> {
    const { database, openFiles, committer } = this.parts
    clearInterval(this.checkTimer)
    this.held.end()
    this.upkeep.stop()
    await committer.close()
    await this.upkeep.stopped()
    await openFiles.close()
    await database.close()
  }

  /** Looks at the disk, and seals rows that have waited for long. */
  private check(): void {
    void this.parts.disk.look()
    if (this.parts.openFiles.isOld) this.settle().catch(() => undefined)
  }

  private ensureOpen(): void {
    if (this.closing) throw new StoreUnavailable('the store is closed')
  }

  private ensureWritable(gridId: string): void {
    this.ensureOpen()
    // It becomes the name of a folder.
    if (!isGridId(gridId)) throw new TypeError(`${JSON.stringify(gridId)} is no Grid's id`)
    this.parts.disk.ensureWritable()
    if (this.parts.openFiles.isBehind) throw new StoreUnavailable('the store is behind with sealing; try again shortly')
  }
}
