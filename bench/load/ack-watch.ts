import { createHistogram } from 'node:perf_hooks'

/** Measures acknowledgements: how long each took, and how long there was none at all. */
export class AckWatch {
  acknowledgedSpans = 0
  private readonly latencyUs = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 })
  private longestStallMs = 0
  /** Since when at least one request waits, or since the last acknowledgement. */
  private silentSinceMs = 0
  private awaited = 0

  requested(nowMs: number): void {
    if (this.awaited++ === 0) this.silentSinceMs = nowMs
  }

  acknowledged(spanCount: number, dueMs: number, nowMs: number): void {
    this.ended(nowMs)
    this.silentSinceMs = nowMs
    this.acknowledgedSpans += spanCount
    this.latencyUs.record(Math.max(1, Math.round((nowMs - dueMs) * 1000)))
  }

  ended(nowMs: number): void {
    this.longestStallMs = Math.max(this.longestStallMs, nowMs - this.silentSinceMs)
    this.awaited--
  }

  get figures(): { latencyMs: { p50: number; p99: number; max: number }; longestStallMs: number } {
    const atMs = (percentile: number) => this.latencyUs.percentile(percentile) / 1000
    const max = this.latencyUs.count === 0 ? 0 : this.latencyUs.max / 1000
    return { latencyMs: { p50: atMs(50), p99: atMs(99), max }, longestStallMs: this.longestStallMs }
  }
}
