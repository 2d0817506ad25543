import { setTimeout as sleep } from 'node:timers/promises'
import type { Encoding } from '../../ingest/ingest.ts'
import type { OtlpClient } from '../otlp-client.ts'
import type { Ledger } from './ledger.ts'
import { encodeProbe, type ProbeRun, probeBatch } from './probe-batch.ts'

export interface WriteOptions {
  run: ProbeRun
  client: OtlpClient
  encoding: Encoding
  intervalMs: number
  ledger: Ledger
  /** Ends the writing; what is under way is awaited. A failure aborts it as well. */
  stop: AbortController
}

const UNDER_WAY_MAX = 8

/** A batch every so often, and no more than a few under way where the server is slow. Rejects with the first failure. */
export async function writeProbes(options: WriteOptions): Promise<void> {
  const { signal } = options.stop
  const failures: unknown[] = []
  const underWay = new Set<Promise<void>>()
  let dueMs = performance.now()
  for (let number = 0; !signal.aborted; number++) {
    const sending = sendProbe(options, number)
      .catch((error: unknown) => {
        failures.push(error)
        options.stop.abort()
      })
      .finally(() => underWay.delete(sending))
    underWay.add(sending)
    if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay)
    // What a slow server has held up is not made up for.
    dueMs = Math.max(dueMs + options.intervalMs, performance.now())
    await sleep(dueMs - performance.now(), undefined, { signal }).catch(() => undefined)
  }
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
}

async function sendProbe({ run, client, encoding, ledger }: WriteOptions, number: number): Promise<void> {
  const startedMs = performance.now()
  const body = encodeProbe(probeBatch(run, number), Date.now(), encoding)
  const { rejected, reason } = await client.send('traces', encoding, body)
  if (rejected > 0) ledger.rejected(rejected, reason)
  else ledger.acknowledged(number, performance.now() - startedMs)
}
