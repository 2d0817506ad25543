/** What is known of a run, all in spans. */
export interface VerifyCounts {
  acknowledged: number
  /** Of the acknowledged ones, how many have been read back right away. */
  checked: number
  /** Not there right after the acknowledgement, but there at the end. */
  late: number
  lost: number
  /** There more often than once, or never sent. */
  surplus: number
  altered: number
  /** Not kept, and the server said so. */
  rejected: number
}

/** Remembers a batch by its number alone: a few bytes for each, however long a run is. */
export class Ledger {
  readonly counts: VerifyCounts = { acknowledged: 0, checked: 0, late: 0, lost: 0, surplus: 0, altered: 0, rejected: 0 }
  /** In the order of their acknowledgement. */
  readonly batches: number[] = []
  slowestMs = 0
  rejectedReason = ''
  private readonly spansPerBatch: number

  constructor(spansPerBatch: number) {
    this.spansPerBatch = spansPerBatch
  }

  acknowledged(number: number, tookMs: number): void {
    this.batches.push(number)
    this.counts.acknowledged += this.spansPerBatch
    this.slowestMs = Math.max(this.slowestMs, tookMs)
  }

  rejected(count: number, reason: string): void {
    this.counts.rejected += count
    this.rejectedReason = reason
  }

  checked(): void {
    this.counts.checked += this.spansPerBatch
  }

  isClean(): boolean {
    const { late, lost, surplus, altered, rejected } = this.counts
    return late + lost + surplus + altered + rejected === 0
  }
}
