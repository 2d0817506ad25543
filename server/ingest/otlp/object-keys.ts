import type { TextColumn } from '../../domain/columns/text-column.ts'

/** From this many bytes on, a call out of JavaScript is worth its price. */
const LONG = 64

/**
 * The keys of the JSON objects that are being written, one inside the other, to tell which key comes a second time. A
 * known key is told by its id, any other by its text; so a key has to be the one or the other all the time.
 */
export class ObjectKeys {
  /** Of known keys; less than 0 for others. */
  private ids = new Int32Array(512)
  /** Where each known key stood before it came to stand here. */
  private formerPlaces = new Int32Array(512)
  /** Where each known key stands, if the key there is the same: what earlier objects left behind is not cleared. */
  private readonly places: Int32Array
  /** Tells most keys apart without looking at all of them. */
  private samples = new Int32Array(512)
  private starts = new Int32Array(512)
  private ends = new Int32Array(512)
  private base = 0
  private top = 0

  constructor(knownMax: number) {
    this.places = new Int32Array(knownMax)
  }

  /** Forgets all objects. */
  clear(): void {
    this.base = 0
    this.top = 0
  }

  /** How many keys the innermost object has. */
  get count(): number {
    return this.top - this.base
  }

  /** Begins an object inside the present one; the answer is for `close`. */
  open(): number {
    const outer = this.base
    this.base = this.top
    return outer
  }

  close(outer: number): void {
    if (this.base > 0) this.putBackPlaces()
    this.top = this.base
    this.base = outer
  }

  /** Adds the key that was written at `start` to `end` of the column; false where the object has it already. */
  add(column: TextColumn, start: number, end: number): boolean {
    const { bytes } = column
    const { samples } = this
    const sample = sampleOf(bytes, start, end)
    for (let i = this.base; i < this.top; i++) {
      if (samples[i] === sample && (this.ids[i] as number) < 0 && this.isAt(i, bytes, start, end)) return false
    }
    if (this.top === samples.length) this.grow()
    this.ids[this.top] = -1
    this.samples[this.top] = sample
    this.starts[this.top] = start
    this.ends[this.top++] = end
    return true
  }

  /** Adds a known key; false where the object has it already. */
  addKnown(id: number): boolean {
    const { places, top } = this
    const place = places[id] as number
    if (place >= this.base && place < top && this.ids[place] === id) return false
    if (top === this.ids.length) this.grow()
    this.ids[top] = id
    this.formerPlaces[top] = place
    places[id] = top
    this.top = top + 1
    return true
  }

  /** A key of the innermost object may stand in one around it as well. */
  private putBackPlaces(): void {
    for (let i = this.top - 1; i >= this.base; i--) {
      const id = this.ids[i] as number
      if (id >= 0) this.places[id] = this.formerPlaces[i] as number
    }
  }

  private isAt(i: number, bytes: Uint8Array, start: number, end: number): boolean {
    const otherStart = this.starts[i] as number
    const otherEnd = this.ends[i] as number
    if (otherEnd - otherStart !== end - start) return false
    if (end - start > LONG)
      return Buffer.compare(bytes.subarray(start, end), bytes.subarray(otherStart, otherEnd)) === 0
    for (let k = start, other = otherStart; k < end; k++, other++) if (bytes[k] !== bytes[other]) return false
    return true
  }

  private grow(): void {
    this.ids = doubled(this.ids)
    this.formerPlaces = doubled(this.formerPlaces)
    this.samples = doubled(this.samples)
    this.starts = doubled(this.starts)
    this.ends = doubled(this.ends)
  }
}

/** A key's length and four of its bytes. */
function sampleOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start
  const half = start + (length >>> 1)
  const quarter = length >>> 2
  return (
    (length << 16) ^
    (bytes[end - 1] as number) ^
    ((bytes[half] as number) << 6) ^
    ((bytes[half - quarter] as number) << 12) ^
    ((bytes[half + quarter] as number) << 24)
  )
}

function doubled(old: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(old.length * 2)
  grown.set(old)
  return grown
}
