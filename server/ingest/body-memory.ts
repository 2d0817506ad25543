/** Less is not worth going back and forth; more is seldom needed twice. */
const KEPT_BYTES_MIN = 64 * 1024
const KEPT_BYTES_MAX = 4 * 1024 * 1024
/** What is kept has one of few sizes, so that it serves bodies that are about as large. */
const STEP_BYTES = 64 * 1024
const SPARE_BYTES_MAX = 32 * 1024 * 1024
const SPARE_MS_MAX = 10_000

/** Whether memory is to be given back once its body was decoded. */
export function isWorthKeeping(buffer: ArrayBuffer): boolean {
  const { byteLength } = buffer
  return byteLength >= KEPT_BYTES_MIN && byteLength <= KEPT_BYTES_MAX && byteLength % STEP_BYTES === 0
}

/**
 * The memory of request bodies, which is used again once a body was decoded. Memory that is thrown away is found by the garbage
 * collector, and looking for as much as spans bring takes a tenth of the processor time that they cost.
 */
export class BodyMemory {
  private readonly spare = new Map<number, ArrayBuffer[]>()
  private spareBytes = 0
  /** Whoever is handed a body in such memory has all of it. */
  private readonly lent = new WeakSet<ArrayBufferLike>()
  private forgetting: NodeJS.Timeout | undefined

  /** Memory for a body, with anything in it. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    const size = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES
    if (bytes < KEPT_BYTES_MIN || size > KEPT_BYTES_MAX) return Buffer.allocUnsafeSlow(bytes)
    const buffer = this.spareOf(size) ?? Buffer.allocUnsafeSlow(size).buffer
    this.lent.add(buffer)
    return new Uint8Array(buffer, 0, bytes)
  }

  isLent(buffer: ArrayBufferLike): boolean {
    return this.lent.has(buffer)
  }

  giveBack(buffer: ArrayBuffer): void {
    const size = buffer.byteLength
    if (!isWorthKeeping(buffer) || this.spareBytes + size > SPARE_BYTES_MAX) return
    const alike = this.spare.get(size) ?? []
    this.spare.set(size, alike)
    alike.push(buffer)
    this.spareBytes += size
    if (this.forgetting) this.forgetting.refresh()
    else this.forgetting = setTimeout(() => this.forget(), SPARE_MS_MAX).unref()
  }

  private spareOf(size: number): ArrayBuffer | undefined {
    const found = this.spare.get(size)?.pop()
    if (found) this.spareBytes -= size
    // Bodies are of other sizes than they were.
    else if (this.spareBytes > SPARE_BYTES_MAX / 2) this.forget()
    return found
  }

  private forget(): void {
    this.spare.clear()
    this.spareBytes = 0
  }
}
