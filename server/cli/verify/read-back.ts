import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../api-client.ts'
import { RequestFailed } from '../request-failed.ts'
import { compare, type Differences, type ReadSpan } from './compare.ts'
import type { Ledger } from './ledger.ts'
import { type ProbeRun, probeBatch } from './probe-batch.ts'

export interface ReadOptions {
  run: ProbeRun
  client: ApiClient
  gridPath: string
  ledger: Ledger
}

/** Batches of which something was missing, with how much. */
export type Missed = Map<number, number>

const NOTHING_NEW_MS = 20

/** Reads each batch back as soon as it is acknowledged, until the writing has ended and nothing is left. */
export async function readAlong(options: ReadOptions, isWriting: () => boolean): Promise<Missed> {
  const { ledger } = options
  const missed: Missed = new Map()
  let next = 0
  while (isWriting() || next < ledger.batches.length) {
    const number = ledger.batches[next]
    if (number === undefined) {
      await sleep(NOTHING_NEW_MS)
      continue
    }
    const { missing } = await differencesOf(options, number)
    if (missing > 0) missed.set(number, missing)
    ledger.checked()
    next++
  }
  return missed
}

/** Reads everything once more: what a restart has lost was there before it. */
export async function readAllAgain(options: ReadOptions, missed: Missed): Promise<void> {
  const { counts, batches } = options.ledger
  for (const number of batches) {
    const { missing, surplus, altered } = await differencesOf(options, number)
    counts.lost += missing
    counts.surplus += surplus
    counts.altered += altered
    counts.late += Math.max(0, (missed.get(number) ?? 0) - missing)
  }
}

async function differencesOf({ run, client, gridPath }: ReadOptions, number: number): Promise<Differences> {
  const batch = probeBatch(run, number)
  try {
    const path = `/apm/traces/${gridPath}/correlations/${batch.traceId}/spans`
    return compare(batch, (await client.get<{ spans: ReadSpan[] }>(path)).spans)
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) return compare(batch, [])
    throw error
  }
}
