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
import type { Database } from './engine/database.ts'
import { type FirstSpan, hourVersions } from './figures/history-questions.ts'
import { InMemory } from './figures/in-memory.ts'
import { KeptSteps } from './figures/kept-steps.ts'
import type { DiskGuard } from './files/disk-guard.ts'
import type { Gate } from './files/gate.ts'
import { HeldFiles } from './files/held-files.ts'
import type { HourFiles } from './files/hour-files.ts'
import type { OpenFiles } from './files/open-files.ts'
import { gridUsage } from './grid-usage.ts'
import { hourOf, isGridId, type Layout, removeGridFiles } from './layout.ts'
import type { LiveSpans } from './live/live-spans.ts'
import type { DuckDbOptions } from './options.ts'
import { type Ask, createReader } from './reader.ts'
import type { DayFiles } from './rolled/day-files.ts'
import type { Rolled } from './rolled/rolled.ts'
import { Scope } from './scope/scope.ts'
import { DiskRoom } from './upkeep/disk-room.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import type { Committer } from './write/committer.ts'
import type { PendingRows } from './write/pending-rows.ts'

/** A day of 50 lines in steps of five minutes takes about 1 MB. */
const KEPT_STEPS_BYTES = 16 * 1024 * 1024
const CHECK_INTERVAL_MS = 1_000

export function apdexOf(apdex: Map<string, ApdexThresholds>, gridId: string): ApdexThresholds {
  return apdex.get(gridId) ?? DEFAULT_APDEX
}

/** The parts that a store is put together from. */
export interface StoreParts {
  options: DuckDbOptions
  layout: Layout
  database: Database
  disk: DiskGuard
  hourFiles: HourFiles
  dayFiles: DayFiles
  rolled: Rolled
  openFiles: OpenFiles
  sealing: Gate
  pending: PendingRows
  committer: Committer
  /** Of the Grids that have thresholds of their own. */
  apdex: Map<string, ApdexThresholds>
  live: LiveSpans
}

export class DuckDbStore implements TelemetryStore {
  private readonly parts: StoreParts
  private readonly checkTimer: NodeJS.Timeout
  private readonly keptSteps = new KeptSteps(KEPT_STEPS_BYTES)
  private readonly firstSpans = new Map<string, FirstSpan>()
  private readonly upkeep: Upkeep
  private readonly held: HeldFiles
  private readonly room: DiskRoom
  private closing: Promise<void> | undefined

  constructor(parts: StoreParts) {
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
    const { database, hourFiles, dayFiles, rolled, openFiles, live } = this.parts
    const files = {
      hourFiles,
      dayFiles,
      rolled,
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
      gridId,
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
