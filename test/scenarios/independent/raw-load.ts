import type { ServerProcess } from '../../server-process.ts'
import { send, type TestGrid } from '../scenario-grid.ts'
import { otlpOf, type RawSpan } from './raw-span.ts'
import { SeededNumbers } from './seeded-numbers.ts'

const BATCH_SPANS = 90
const SENDERS = 3
const AGAIN_SHARE = 0.02

export interface RawLoadOptions {
  grid: TestGrid
  spans: RawSpan[]
  /** What the times of the spans count from. */
  momentMs: number
  seed: number
}

/** A client that sends spans in any order, remembers which were acknowledged, and sends again which were not. */
export class RawLoad {
  readonly acknowledged: RawSpan[] = []
  private readonly options: RawLoadOptions
  private readonly random: SeededNumbers
  private readonly left: RawSpan[]
  /** Sent, and nobody knows what became of them. */
  private inDoubt: RawSpan[] = []

  constructor(options: RawLoadOptions) {
    this.options = options
    this.random = new SeededNumbers(options.seed)
    this.left = this.random.shuffled(options.spans)
  }

  /** Over several connections, until the server is gone or nothing is left; calls back after each acknowledged batch. */
  async sendUntilGone(server: ServerProcess, acknowledged: () => void): Promise<void> {
    const work = async () => {
      while (await this.sendBatch(server, this.left.splice(0, BATCH_SPANS))) acknowledged()
    }
    await Promise.all(Array.from({ length: SENDERS }, work))
  }

  /** What is in doubt, in other company than before and with some that are known to be there. */
  async settle(server: ServerProcess): Promise<void> {
    const known = this.acknowledged.filter(() => this.random.chance(AGAIN_SHARE))
    const spans = this.random.shuffled([...this.inDoubt, ...known])
    await send(server, this.options.grid, 'traces', this.recordsOf(spans))
    this.acknowledged.push(...this.inDoubt)
    this.inDoubt = []
  }

  async sendRest(server: ServerProcess): Promise<void> {
    await this.sendUntilGone(server, () => undefined)
    if (this.inDoubt.length > 0) throw new Error('A server that nobody killed did not take what it was sent.')
  }

  private async sendBatch(server: ServerProcess, batch: RawSpan[]): Promise<boolean> {
    if (batch.length === 0) return false
    try {
      await send(server, this.options.grid, 'traces', this.recordsOf(batch))
      this.acknowledged.push(...batch)
      return true
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      this.inDoubt.push(...batch)
      return false
    }
  }

  private recordsOf(spans: RawSpan[]) {
    return spans.map((span) => otlpOf(span, this.options.momentMs))
  }
}

/** What `fetch` throws when there is nobody to talk to any more. Any answer but a success is a fault of the server. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError
}
