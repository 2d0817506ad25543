import type { ExportOutcome } from '../ingest.ts'
import type { DecodeLimits } from './limits.ts'

/** What is said of one record, and of several. */
export interface Refusal {
  one: string
  many: string
}

export const TOO_MANY: Refusal = {
  one: 'is more than one request may hold',
  many: 'are more than one request may hold',
}

/** Counts what is not stored, by reason, and words it for the sender. */
export class Tally {
  accepted = 0
  truncatedAttributes = 0
  private readonly noun: string
  private readonly counts = new Map<Refusal, number>()

  constructor(noun: string) {
    this.noun = noun
  }

  add(refusal: Refusal, count = 1): void {
    if (count > 0) this.counts.set(refusal, (this.counts.get(refusal) ?? 0) + count)
  }

  outcome(): ExportOutcome {
    let rejected = 0
    const reasons: string[] = []
    for (const [refusal, count] of this.counts) {
      rejected += count
      reasons.push(count === 1 ? `1 ${this.noun} ${refusal.one}` : `${count} ${this.noun}s ${refusal.many}`)
    }
    return {
      accepted: this.accepted,
      rejected,
      reason: reasons.join('; '),
      truncatedAttributes: this.truncatedAttributes,
    }
  }
}

/** How refusals for a record's time read, such as "start more than 1 hour in the future". */
export function timeRefusals(limits: DecodeLimits, one: string, many: string): { future: Refusal; past: Refusal } {
  const future = `more than ${inWords(limits.newestNs - limits.nowNs)} in the future`
  const past = `more than ${inWords(limits.nowNs - limits.oldestNs)} ago, longer than is kept`
  return {
    future: { one: `${one} ${future}`, many: `${many} ${future}` },
    past: { one: `${one} ${past}`, many: `${many} ${past}` },
  }
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

function inWords(ns: bigint): string {
  const seconds = Number(ns / 1_000_000n) / 1000
  // A limit that was set a moment before the clock was read is still an hour, not 60 minutes.
  const [unit, size] = UNITS.find(([, size]) => seconds >= size * 0.99) ?? ['second', 1]
  const count = Math.round((seconds / size) * 10) / 10
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
