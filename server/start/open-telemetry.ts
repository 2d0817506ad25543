import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { resolve, sep } from 'node:path'
import type { Config } from '../config/config.ts'
import { StoreUnusable } from '../domain/store-errors.ts'
import { openStoreThread, type StoreThread } from '../store-thread/store-thread.ts'
import { storeOptions } from './store-options.ts'

/** The ports that were found free, and the store, of which this process is the owner from now on. */
export interface OpenedTelemetry {
  store: StoreThread
  ports: { api: number; otlpHttp: number; otlpGrpc: number }
}

/**
 * The first step of a start. It needs little of the program, so the rest can be loaded meanwhile: with a week of files both
 * take about a second.
 */
export async function openTelemetry(
  config: Config,
  { warn, died }: { warn: (message: string) => void; died: (error: Error) => void },
): Promise<OpenedTelemetry> {
  const { host } = config
  const ports = {
    api: await triedPort(host, config.port),
    otlpHttp: await triedPort(host, config.otlpHttpPort),
    otlpGrpc: await triedPort(host, config.otlpGrpcPort),
  }
  await makeDataFolder(config.dataDir)
  return { store: await openStoreThread({ store: await storeOptions(config), warn, died }), ports }
}

/** Folder by folder, because asked for all at once Node tries for ever where the system has a folder that takes none (`/proc`). */
async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    const parts = resolve(dataDir).split(sep)
    for (let depth = 2; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join(sep)
      if (!existsSync(folder)) await mkdir(folder)
    }
  } catch (error) {
    throw new StoreUnusable(`the data folder ${dataDir} cannot be made: ${(error as Error).message}`)
  }
}

/**
 * Tries a port before anything is opened: one that is taken is found out at once. Port 0 becomes any free one, because the
 * public address must be known before anything listens.
 */
async function triedPort(host: string, port: number): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : port
}
