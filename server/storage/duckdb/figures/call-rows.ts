/** How many sums a row has: those of `CALL_COLUMNS`, in that order. */
export const CALL_SUMS = 5
const FIRST_ROWS = 1024

/** Sums of calls as they are found, of a group and a minute each; several rows may be of the same ones. */
export class CallRows {
  size = 0
  group = new Uint32Array(FIRST_ROWS)
  minute = new Int32Array(FIRST_ROWS)
  sums = new Float64Array(FIRST_ROWS * CALL_SUMS)

  /** Adds a row. Returns where its sums begin, which are to be filled. */
  reserve(group: number, minute: number): number {
    if (this.size === this.group.length) this.grow()
    const row = this.size++
    this.group[row] = group
    this.minute[row] = minute
    return row * CALL_SUMS
  }

  private grow(): void {
    const [group, minute, sums] = [this.group, this.minute, this.sums]
    this.group = new Uint32Array(group.length * 2)
    this.minute = new Int32Array(minute.length * 2)
    this.sums = new Float64Array(sums.length * 2)
    this.group.set(group)
    this.minute.set(minute)
    this.sums.set(sums)
  }
}
