import { randomBytes } from 'node:crypto'
import { finishedHash } from '../word-hash.ts'

const PLACES = 8192
const TEXT_BYTES_MAX = 64

/**
 * What was found out about short texts before, by their bytes on the wire and by what asked: most texts come again and again.
 * One that falls on the place of another takes it.
 */
export class KnownTexts<Asker extends object, Known> {
  /** Nobody can know it, and so nobody can send texts that keep others from their places. */
  private readonly seed = randomBytes(4).readInt32LE()
  private readonly bytes = new Uint8Array(PLACES * TEXT_BYTES_MAX)
  private readonly lengths = new Uint8Array(PLACES)
  private readonly askers: (Asker | undefined)[] = new Array(PLACES).fill(undefined)
  private readonly known: (Known | undefined)[] = new Array(PLACES).fill(undefined)
  /** Of the text that was looked for last; -1 where it is too long to be kept. */
  private place = -1

  find(asker: Asker, bytes: Uint8Array, start: number, end: number): Known | undefined {
    const length = end - start
    this.place = -1
    if (length > TEXT_BYTES_MAX) return undefined
    let hash = this.seed ^ length
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
    const place = finishedHash(hash) & (PLACES - 1)
    this.place = place
    if (this.askers[place] !== asker || this.lengths[place] !== length) return undefined
    const from = place * TEXT_BYTES_MAX
    for (let i = 0; i < length; i++) if (this.bytes[from + i] !== bytes[start + i]) return undefined
    return this.known[place]
  }

  /** Of the text that was looked for last. */
  keep(asker: Asker, bytes: Uint8Array, start: number, end: number, known: Known): void {
    const { place } = this
    if (place < 0) return
    const from = place * TEXT_BYTES_MAX
    for (let i = start; i < end; i++) this.bytes[from + i - start] = bytes[i] as number
    this.lengths[place] = end - start
    this.askers[place] = asker
    this.known[place] = known
  }
}
