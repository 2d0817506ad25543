import type { ApdexThresholds } from '../../domain/apdex.ts'
import { apdexOf, DuckDbStore } from './duckdb-store.ts'
import { Database } from './engine/database.ts'
import { endThread } from './engine/end-thread.ts'
import { openDiskGuard } from './files/disk-guard.ts'
import { lockFolder } from './files/folder-lock.ts'
import { Gate } from './files/gate.ts'
import { HourFiles } from './files/hour-files.ts'
import { OpenFiles } from './files/open-files.ts'
import { clearTemporary, type Layout, openLayout } from './layout.ts'
import { LiveSpans } from './live/live-spans.ts'
import type { DuckDbOptions } from './options.ts'
import { DayFiles } from './rolled/day-files.ts'
import { RolledPoints } from './rolled/rolled-points.ts'
import { RolledRequests } from './rolled/rolled-requests.ts'
import { failuresRewritten } from './samples/recent-failures.ts'
import { Committer } from './write/committer.ts'
import { lastSealed, loadKeys } from './write/load-keys.ts'
import { loadLastSpans, replayOpenFile } from './write/load-live.ts'
import { PendingRows } from './write/pending-rows.ts'
import { RecentKeys } from './write/recent-keys.ts'

/** Retries come within minutes; at 20,000 records a second this remembers one and a half to three of them. */
const RECENT_KEYS = 2_000_000

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
    replaced: (file, successor) => {
      live.kept.replaced(file, successor)
      failuresRewritten(file, successor)
    },
  })
  // A connection apart: it writes, and a file that is brought up to date meanwhile has a transaction of its own.
  const roller = await database.connect()
  const dayFiles = await DayFiles.open(roller, hourFiles, layout, options)
  const rolled = {
    points: new RolledPoints(dayFiles, roller, hourFiles, layout),
    requests: new RolledRequests(dayFiles, roller),
  }
  const sealing = new Gate()
  const openFiles = await OpenFiles.open(database, layout, hourFiles, {
    ...options,
    gate: sealing,
    hasRoom: () => disk.hasRoom,
    live,
    rolled,
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
    rolled,
    openFiles,
    sealing,
    live,
    pending,
    committer,
    apdex,
  })
}
