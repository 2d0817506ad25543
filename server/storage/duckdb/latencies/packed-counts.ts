const DIGIT = 64
const FIRST_BYTES = 256

/**
 * Counts by bucket as bytes: for each bucket that has any, in ascending order, how far it is from the one before, and its count.
 * A number has its lowest six bits first, and each byte but its last is 64 or more. A count is doubled, and one less than nothing
 * is odd. Bytes of 128 and more are not used, so that whatever takes texts takes these.
 */
export class CountPacker {
  private bytes = new Uint8Array(FIRST_BYTES)
  private length = 0
  private last = 0

  /** Buckets must ascend. */
  add(bucket: number, count: number): void {
    this.put(bucket - this.last)
    this.put(count < 0 ? -2 * count - 1 : 2 * count)
    this.last = bucket
  }

  /** What was added, until something is added again; begins anew. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length)
    this.length = 0
    this.last = 0
    return taken
  }

  private put(value: number): void {
    let rest = value
    while (rest >= DIGIT) {
      this.putByte((rest % DIGIT) + DIGIT)
      rest = Math.floor(rest / DIGIT)
    }
    this.putByte(rest)
  }

  private putByte(byte: number): void {
    if (this.length === this.bytes.length) {
      const grown = new Uint8Array(this.length * 2)
      grown.set(this.bytes)
      this.bytes = grown
    }
    this.bytes[this.length++] = byte
  }
}

/** The counts of packed bytes, by ascending bucket. */
export function eachCount(packed: Uint8Array, each: (bucket: number, count: number) => void): void {
  let bucket = 0
  for (let at = 0; at < packed.length; ) {
    let byte = packed[at++] as number
    let distance = byte & 63
    for (let place = DIGIT; byte >= DIGIT; place *= DIGIT) {
      byte = packed[at++] as number
      distance += (byte & 63) * place
    }
    bucket += distance
    byte = packed[at++] as number
    let count = byte & 63
    for (let place = DIGIT; byte >= DIGIT; place *= DIGIT) {
      byte = packed[at++] as number
      count += (byte & 63) * place
    }
    each(bucket, count % 2 === 0 ? count / 2 : (count + 1) / -2)
  }
}
