import { ID_BYTES } from './compiled-batch.ts'
import type { SpanIds } from './load-report.ts'
import { Random } from './random.ts'

/** An even choice among all ids that were offered, one span of each batch at most. */
export class SpanSample {
  readonly chosen: SpanIds[] = []
  private readonly random = new Random(3)
  private readonly size: number
  private offered = 0

  constructor(size: number) {
    this.size = size
  }

  offer(ids: () => Buffer): void {
    const place = this.offered++ < this.size ? this.chosen.length : this.random.below(this.offered)
    if (place >= this.size) return
    const all = ids()
    const at = this.random.below(all.length / ID_BYTES) * ID_BYTES
    const traceId = all.toString('hex', at, at + 16)
    this.chosen[place] = { traceId, spanId: all.toString('hex', at + 16, at + ID_BYTES) }
  }
}
