const SEGMENT_BITS = 12
const ROWS_PER_SEGMENT = 1 << SEGMENT_BITS
const SEGMENTS_MAX = 4096
/** As many as one full open file lets go of. */
const SPARE_SEGMENTS_MAX = 16
const ROW_MASK = ROWS_PER_SEGMENT - 1
/** No span has this number. */
export const NONE = 0xffffffff

/** What is kept in memory of spans, as columns. Halves are of 64-bit numbers, low before high. */
export class Segment {
  /** The fingerprint of a span's own id, and of its parent's. */
  readonly keyHigh = new Uint32Array(ROWS_PER_SEGMENT)
  readonly keyLow = new Uint32Array(ROWS_PER_SEGMENT)
  readonly parentHigh = new Uint32Array(ROWS_PER_SEGMENT)
  readonly parentLow = new Uint32Array(ROWS_PER_SEGMENT)
  readonly startHalves = new Uint32Array(ROWS_PER_SEGMENT * 2)
  readonly durationHalves = new Uint32Array(ROWS_PER_SEGMENT * 2)
  readonly grid = new Uint32Array(ROWS_PER_SEGMENT)
  readonly hour = new Int32Array(ROWS_PER_SEGMENT)
  readonly minute = new Uint8Array(ROWS_PER_SEGMENT)
  readonly kind = new Uint8Array(ROWS_PER_SEGMENT)
  readonly status = new Uint8Array(ROWS_PER_SEGMENT)
  /** Numbers of texts and of origins. */
  readonly service = new Uint32Array(ROWS_PER_SEGMENT)
  readonly operation = new Uint32Array(ROWS_PER_SEGMENT)
  readonly called = new Uint32Array(ROWS_PER_SEGMENT)
  readonly dependency = new Uint32Array(ROWS_PER_SEGMENT)
  readonly origin = new Uint32Array(ROWS_PER_SEGMENT)
  /** What it is to its neighbours by now, and whom it reached first: 0 for nobody. */
  readonly role = new Uint8Array(ROWS_PER_SEGMENT)
  readonly callee = new Uint32Array(ROWS_PER_SEGMENT)
  /** The same as far as its own open file knows. */
  readonly ownRole = new Uint8Array(ROWS_PER_SEGMENT)
  readonly ownCallee = new Uint32Array(ROWS_PER_SEGMENT)
  readonly flags = new Uint8Array(ROWS_PER_SEGMENT)
  /** The open file that it came in, and its row there; file 0 for a span that was read from an hour file. */
  readonly file = new Float64Array(ROWS_PER_SEGMENT)
  readonly row = new Uint32Array(ROWS_PER_SEGMENT)
  /** The next one that waits for the same parent. */
  readonly next = new Uint32Array(ROWS_PER_SEGMENT)

  /** As if it were new. */
  clear(): void {
    for (const column of Object.values(this)) column.fill(0)
  }
}

/** Room for a span: whoever asked for it fills the columns of `segment` at `row`. */
export interface Place {
  segment: Segment
  row: number
  id: number
}

/** Spans by number, in the order in which they came. The oldest are let go a segment at a time. */
export class SpanRing {
  private readonly segments: (Segment | undefined)[] = new Array(SEGMENTS_MAX)
  /** Used again: what is thrown away has to be found by the garbage collector. */
  private readonly spare: Segment[] = []
  private oldestSegment = 0
  /** Of all spans that ever came. */
  private count = 0

  /** How many have come, ever: unlike a span's number it never begins anew. */
  get end(): number {
    return this.count
  }

  /** Of those that are still here, the first one's place among all that ever came. */
  get begin(): number {
    return this.oldestSegment * ROWS_PER_SEGMENT
  }

  /** Room for the next span, which is here once `advance` is called. */
  reserve(): Place {
    const id = this.count >>> 0
    const slot = (this.count >>> SEGMENT_BITS) % SEGMENTS_MAX
    this.segments[slot] ??= this.spare.pop() ?? new Segment()
    return { segment: this.segments[slot], row: rowOf(id), id }
  }

  advance(): void {
    this.count++
    // That number means no span: it is passed over.
    if (this.count >>> 0 === NONE) this.count++
  }

  /** Of a span that is here: its place among all that ever came. */
  placeOf(id: number): number {
    return this.count - (((this.count >>> 0) - id) >>> 0)
  }

  segmentOf(id: number): Segment {
    return this.segments[(id >>> SEGMENT_BITS) % SEGMENTS_MAX] as Segment
  }

  /** Lets go of the oldest segment, if all of it came before the given place; `each` is told of its spans before. */
  dropBefore(place: number, each: (id: number, segment: Segment, row: number) => void): boolean {
    const end = (this.oldestSegment + 1) * ROWS_PER_SEGMENT
    if (end > place) return false
    const slot = this.oldestSegment % SEGMENTS_MAX
    const segment = this.segments[slot]
    const first = (end - ROWS_PER_SEGMENT) >>> 0
    if (segment) {
      for (let row = 0; row < ROWS_PER_SEGMENT; row++) each(first + row, segment, row)
      this.keepSpare(segment)
    }
    this.segments[slot] = undefined
    this.oldestSegment++
    return true
  }

  /** Marks the numbers of texts and origins that spans have. */
  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (let at = this.begin; at < this.count; at += ROWS_PER_SEGMENT) {
      const segment = this.segments[(at / ROWS_PER_SEGMENT) % SEGMENTS_MAX]
      if (segment) markRows(segment, Math.min(ROWS_PER_SEGMENT, this.count - at), texts, origins)
    }
  }

  private keepSpare(segment: Segment): void {
    if (this.spare.length >= SPARE_SEGMENTS_MAX) return
    segment.clear()
    this.spare.push(segment)
  }
}

function markRows(segment: Segment, rows: number, texts: Uint8Array, origins: Uint8Array): void {
  const { service, operation, called, dependency, callee, ownCallee, origin } = segment
  for (const column of [service, operation, called, dependency, callee, ownCallee])
    for (let row = 0; row < rows; row++) texts[column[row] as number] = 1
  for (let row = 0; row < rows; row++) origins[origin[row] as number] = 1
}

export function rowOf(id: number): number {
  return id & ROW_MASK
}
