import type { Origin } from '../../../domain/columns/origin.ts'

/** Fewer origins than this are never looked through for ones that nobody uses. */
const SWEPT_ORIGINS_MIN = 20_000

interface KnownOrigin {
  hex: string
  origin: Origin
}

/** Origins by number, found by their hash in hex. */
export class OriginIds {
  private readonly known: (KnownOrigin | undefined)[] = [undefined]
  private readonly ids = new Map<string, number>()
  private readonly free: number[] = []
  private sweepAt = SWEPT_ORIGINS_MIN

  get isDueForSweep(): boolean {
    return this.ids.size >= this.sweepAt
  }

  /** One more than the largest number. */
  get end(): number {
    return this.known.length
  }

  of(hex: string, origin: Origin): number {
    const found = this.ids.get(hex)
    if (found !== undefined) return found
    const id = this.free.pop() ?? this.known.length
    this.known[id] = { hex, origin }
    this.ids.set(hex, id)
    return id
  }

  get(id: number): KnownOrigin {
    return this.known[id] as KnownOrigin
  }

  sweep(isUsed: Uint8Array): void {
    this.known.forEach((known, id) => {
      if (!known || isUsed[id] === 1) return
      this.ids.delete(known.hex)
      this.known[id] = undefined
      this.free.push(id)
    })
    this.sweepAt = Math.max(SWEPT_ORIGINS_MIN, this.ids.size * 2)
  }
}
