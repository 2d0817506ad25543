import type { UnreadablePart } from './part.ts'

const REASONS_MAX = 50
const OTHER_REASONS = 'other reasons'

/** What became of the records, and why some were not taken. */
export class ImportTally {
  accepted = 0
  refused = 0
  unreadable = 0
  /** In the server's words or ours, with how many records or pieces they are about. */
  readonly reasons = new Map<string, number>()

  acknowledged(records: number, rejected: number, reason: string): void {
    this.accepted += Math.max(0, records - rejected)
    this.refused += rejected
    for (const { count, text } of reasonsOf(rejected, reason)) this.because(text, count)
  }

  refusedWhole(records: number, where: string, reason: string): void {
    this.refused += records
    this.because(`${where}: ${reason}`, records)
  }

  couldNotRead({ where, problem }: UnreadablePart): void {
    this.unreadable++
    this.because(`${where}: ${problem}`, 1)
  }

  private because(text: string, count: number): void {
    const key = this.reasons.has(text) || this.reasons.size < REASONS_MAX ? text : OTHER_REASONS
    this.reasons.set(key, (this.reasons.get(key) ?? 0) + count)
  }
}

/** The server says `3 spans have no id; 1 span starts …`, which is to be added up over many answers. */
function reasonsOf(rejected: number, reason: string): { count: number; text: string }[] {
  const parts = reason.split('; ').map((part) => /^(\d{1,15}) (.+)$/s.exec(part))
  if (rejected === 0) return []
  if (parts.some((part) => part === null)) return [{ count: rejected, text: reason || 'no reason was given' }]
  return parts.flatMap((part) => (part ? [{ count: Number(part[1]), text: part[2] ?? '' }] : []))
}
