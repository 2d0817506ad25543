import { setTimeout as delay } from 'node:timers/promises'
import type { MeasuredServer } from './measured-server.ts'
import { usageOf } from './process-usage.ts'

const LOOK_MS = 1_000
const BUSY_SHARE_MAX = 0.1
const LOOKS_MAX = 120

/** Resolves when a server that was just started has looked through what it found, as it would have done over the hours. */
export async function untilIdle(server: MeasuredServer): Promise<void> {
  for (let look = 0, before = usageOf(server.pid).cpuUs; look < LOOKS_MAX; look++) {
    await delay(LOOK_MS)
    const now = usageOf(server.pid).cpuUs
    if ((now - before) / 1000 / LOOK_MS < BUSY_SHARE_MAX) return
    before = now
  }
}
