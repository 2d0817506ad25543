import { copyFile, type FileHandle, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../engine/session.ts'

/** What the database keeps beside a file: its log, and what a checkpoint or a recovery leaves when it is cut short. */
const LOG_SUFFIXES = ['.wal', '.wal.checkpoint', '.wal.recovery']
/** An entry of a log begins with its size and its checksum. */
const ENTRY_HEAD_BYTES = 16
/** A file that nothing was written to but what every file begins with. */
const HEADER_BYTES = 12_288

/** Longer than a question may take. */
const HELD_MAX_MS = 60_000
const HELD_AGAIN_MS = 20

export interface AttachOptions {
  /** For a file that is made by being attached. */
  blockSizeBytes?: number
  /** Absent: what the database makes of it, which is right for a file that lives in its log. */
  rowsPerGroup?: number
  /** Where the end of a log is kept that could not be read. */
  damagedFolder: string
  warn: (message: string) => void
}

/**
 * Attaches a database file. A power failure may leave the end of its log torn: that was never acknowledged, and the log is
 * cut where it ceases to make sense.
 */
export async function attachFile(session: Session, path: string, alias: string, options: AttachOptions): Promise<void> {
  const blockSize = options.blockSizeBytes === undefined ? '' : `, BLOCK_SIZE ${options.blockSizeBytes}`
  const groups = options.rowsPerGroup === undefined ? '' : `, ROW_GROUP_SIZE ${options.rowsPerGroup}`
  const sql = `ATTACH '${path.replaceAll("'", "''")}' AS ${alias} (STORAGE_VERSION 'latest'${blockSize}${groups})`
  const startedMs = performance.now()
  for (;;) {
    try {
      return await session.run(sql)
    } catch (error) {
      const torn = tornLog(error as Error, path)
      if (torn) await cutLog(torn.log, torn.bytes, options)
      else if (isHeld(error as Error) && performance.now() - startedMs < HELD_MAX_MS) await sleep(HELD_AGAIN_MS)
      else throw error
    }
  }
}

/** A file that was let go while it was read is held until those who read it have ended their transactions. */
function isHeld({ message }: Error): boolean {
  return message.includes('Unique file handle conflict')
}

function tornLog({ message }: Error, path: string): { log: string; bytes: number } | undefined {
  const found = /replaying WAL file "(.+?)": Corrupt WAL file: entry at byte position (\d+)/.exec(message)
  const log = found?.[1]
  if (!log || !logsOf(path).includes(log)) return undefined
  return { log, bytes: Math.max(0, Number(found[2]) - ENTRY_HEAD_BYTES) }
}

async function cutLog(log: string, bytes: number, { damagedFolder, warn }: AttachOptions): Promise<void> {
  const handle = await open(log, 'r+')
  try {
    if (!(await isZeroFrom(handle, bytes))) {
      const kept = join(damagedFolder, `${Date.now()}-${basename(log)}`)
      await copyFile(log, kept)
      warn(`the log ${log} cannot be read from byte ${bytes} on and was cut there; the whole of it was kept as ${kept}`)
    }
    await handle.truncate(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Space that was given to the log and never written holds nothing worth a warning. */
async function isZeroFrom(handle: FileHandle, position: number): Promise<boolean> {
  const buffer = Buffer.alloc(256 * 1024)
  for (let at = position; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return true
    if (buffer.subarray(0, bytesRead).some((byte) => byte !== 0)) return false
    at += bytesRead
  }
}

/** Whether the error says that the file's content is broken, rather than that something was in the way of reading it. */
export function isDamage(error: Error): boolean {
  return /Corrupt database file|Corrupt WAL file|not a valid DuckDB database|Could not read enough bytes|WAL does not match database|Failed to read WAL of version|^Serialization Error/.test(
    error.message,
  )
}

/** A crash while a file was being made leaves one that cannot be opened and never held anything. */
export async function neverHeldAnything(path: string): Promise<boolean> {
  const size = await sizeOf(path)
  return size >= 0 && size <= HEADER_BYTES && (await logBytesOf(path)) === 0
}

export async function exists(path: string): Promise<boolean> {
  return (await sizeOf(path)) >= 0
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    (found) => found.size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return -1
      throw error
    },
  )
}

/** Where the logs of a file are, if there are any. */
export function logsOf(path: string): string[] {
  return LOG_SUFFIXES.map((suffix) => path + suffix)
}

export async function logBytesOf(path: string): Promise<number> {
  const sizes = await Promise.all(logsOf(path).map(sizeOf))
  return sizes.reduce((sum, size) => sum + Math.max(0, size), 0)
}

export async function diskBytesOf(path: string): Promise<number> {
  return Math.max(0, await sizeOf(path)) + (await logBytesOf(path))
}

/** The logs go first: without its log a file is older than it was, while a log without its file would be an orphan. */
export async function removeFile(path: string): Promise<void> {
  await removeLogs(path)
  await rm(path, { force: true })
}

export async function removeLogs(path: string): Promise<void> {
  for (const log of logsOf(path)) await rm(log, { force: true })
}

/** Removing a big log at once stalls commits to other files. */
export async function shrinkLog(path: string, stepBytes: number): Promise<void> {
  const log = `${path}.wal`
  for (let size = await sizeOf(log); size > stepBytes; size -= stepBytes) await truncate(log, size - stepBytes)
}

/** Moves a file that cannot be used to where a person may look at it, and says where that is. */
export async function moveAside(path: string, folder: string, name: string): Promise<string> {
  const kept = join(folder, `${Date.now()}-${name}`)
  for (const suffix of ['', ...LOG_SUFFIXES])
    await rename(path + suffix, kept + suffix).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  return kept
}
