import { rm, stat } from 'node:fs/promises'
import type { ControlStore } from '../control/control-store.ts'
import type { StoredFile, TelemetryStore } from '../storage/telemetry-store.ts'
import { type BackupFolder, ensureRoom, finishBackup } from './backup-folder.ts'
import type { BackupProgress } from './backup-progress.ts'
import { BackupRefused } from './backup-refused.ts'
import { Copies } from './copies.ts'

/** Files that changed more recently are about to change again, and are copied while they are held. */
const AT_REST_MS = 60_000
/** While many files are copied for the first time, others come to rest. */
const ROUNDS_MAX = 3

export interface BackupSource {
  telemetry: Pick<TelemetryStore, 'files' | 'holdFiles' | 'releaseFiles'>
  control: Pick<ControlStore, 'copyTo'>
  /** Of the disk that this folder is on. */
  keptFreeBytes: (folder: string) => Promise<number>
  clock: () => number
}

/**
 * Copies a data folder while it is in use. What was acknowledged before is in the backup, which takes the place of an earlier
 * one in its folder when it is whole and not before. Stops between two files where the signal says so.
 */
export async function backUp(
  source: BackupSource,
  folder: BackupFolder,
  progress: BackupProgress,
  signal: AbortSignal,
): Promise<void> {
  const { telemetry, control, keptFreeBytes, clock } = source
  const startedAt = new Date(clock()).toISOString()
  const copies = new Copies(folder, progress)

  const newFiles = async (files: StoredFile[]) => {
    const missing = await copies.missing(files)
    progress.files = files.length
    progress.bytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const missingBytes = missing.reduce((sum, { bytes }) => sum + bytes, 0)
    if (missing.length > 0) await ensureRoom(folder, missingBytes, await keptFreeBytes(folder.path))
    return missing
  }

  async function copyAtRest(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const atRest = (await storedTelemetry(telemetry.files())).filter((file) => isAtRest(file, clock()))
      const missing = await newFiles(atRest)
      if (missing.length === 0) return
      for (const file of missing) {
        signal.throwIfAborted()
        const taken = await copies.take(file)
        if (taken) await copies.keep(taken)
      }
    }
  }

  async function copyHeld(): Promise<StoredFile[]> {
    const held = await storedTelemetry(telemetry.holdFiles())
    const taken = []
    let wasHeld = false
    try {
      for (const file of await newFiles(held)) {
        signal.throwIfAborted()
        const copy = await copies.take(file)
        if (!copy) throw new BackupRefused(`${file.name} changed while it was copied; try again`)
        taken.push(copy)
      }
    } finally {
      wasHeld = await telemetry.releaseFiles()
    }
    if (!wasHeld)
      throw new BackupRefused('Copying what had changed last took too long; try again when there is less load')
    for (const copy of taken) await copies.keep(copy)
    return held
  }

  async function copyControl(): Promise<StoredFile> {
    signal.throwIfAborted()
    const path = copies.newPath()
    await rm(path, { force: true })
    await control.copyTo(path)
    const { size, mtimeMs } = await stat(path)
    const file = { path, name: 'control.sqlite', bytes: size, changedAtMs: mtimeMs }
    await copies.keep({ file, path })
    return file
  }

  await copyAtRest()
  const telemetryFiles = await copyHeld()
  // After the telemetry, so that no Grid is missing that something was sent to.
  const files = copies.of([...telemetryFiles, await copyControl()])
  progress.files = files.length
  progress.bytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
  await finishBackup(folder, { startedAt, finishedAt: new Date(clock()).toISOString(), files })
}

async function storedTelemetry(found: Promise<StoredFile[]>): Promise<StoredFile[]> {
  return (await found).map((file) => ({ ...file, name: `telemetry/${file.name}` }))
}

function isAtRest({ changedAtMs }: StoredFile, nowMs: number): boolean {
  return changedAtMs + AT_REST_MS <= nowMs
}
