import { statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { DiskSpace } from '../config/parsers.ts'
import { DEFAULT_DUCKDB_OPTIONS, type DuckDbOptions } from '../storage/duckdb/options.ts'

export async function storeOptions(config: Config): Promise<Omit<DuckDbOptions, 'warn'>> {
  return {
    ...DEFAULT_DUCKDB_OPTIONS,
    folder: join(config.dataDir, 'telemetry'),
    memoryLimitBytes: config.memoryLimitBytes,
    queryTimeoutMs: config.queryTimeoutMs,
    threads: Math.max(1, Math.min(8, Math.floor(availableParallelism() / 2))),
    minFreeDiskBytes: await minFreeBytes(config, config.dataDir),
  }
}

/** How much of the disk that a folder is on stays free. */
export async function minFreeBytes({ minFreeDisk }: Config, folder: string): Promise<number> {
  return await bytesOf(minFreeDisk, folder)
}

/** How much of the disk telemetry may take. */
export async function diskBudgetBytes({ diskBudget, dataDir }: Config): Promise<number> {
  return await bytesOf(diskBudget ?? { percent: 100 }, dataDir)
}

async function bytesOf(space: DiskSpace, folder: string): Promise<number> {
  if ('bytes' in space) return space.bytes
  const { blocks, bsize } = await statfs(folder)
  return Math.floor((blocks * bsize * space.percent) / 100)
}
