import { statfs } from 'node:fs/promises'
import { StoreUnavailable } from '../../../domain/store-errors.ts'

const BYTES_PER_MIB = 1_048_576

/** Watches the free space of the disk, so that writing stops before the disk is full and reading can go on. */
export interface DiskGuard {
  readonly freeBytes: number
  /** Whether rows may be moved about, which takes space for a while. More is dared for it than for taking new rows. */
  readonly hasRoom: boolean
  ensureWritable(): void
  look(): Promise<void>
}

export async function openDiskGuard(folder: string, minFreeBytes: number): Promise<DiskGuard> {
  const guard = {
    freeBytes: 0,
    get hasRoom() {
      return guard.freeBytes >= minFreeBytes / 4
    },
    ensureWritable() {
      if (guard.freeBytes >= minFreeBytes) return
      const [free, wanted] = [guard.freeBytes, minFreeBytes].map((bytes) => Math.floor(bytes / BYTES_PER_MIB))
      throw new StoreUnavailable(`the disk is nearly full: ${free} MiB free, ${wanted} MiB are kept free`)
    },
    /** A disk that does not tell how much is free has none. */
    async look() {
      const found = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
      guard.freeBytes = found.bavail * found.bsize
    },
  }
  await guard.look()
  return guard
}
