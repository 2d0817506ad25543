import type { Bytes } from './part.ts'

/** Reads a stream by numbers of bytes. Holds no more than was asked for and one chunk. */
export class ByteSource {
  /** How many bytes have been taken. */
  offset = 0
  private readonly chunks: AsyncIterator<Uint8Array>
  private held: Uint8Array[] = []
  private heldBytes = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes without taking them; fewer at the end. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.heldBytes < count) {
      const { value, done } = await this.chunks.next()
      if (done) break
      this.held.push(value)
      this.heldBytes += value.length
    }
    const first = this.held[0]
    if (first !== undefined && first.length >= Math.min(count, this.heldBytes)) return first.subarray(0, count)
    const whole = Buffer.concat(this.held)
    this.held = [whole]
    return whole.subarray(0, count)
  }

  /** A copy, so that it does not hold on to the chunks that it came in; fewer at the end. */
  async take(count: number): Promise<Bytes> {
    const bytes = new Uint8Array(await this.peek(count))
    this.drop(bytes.length)
    return bytes
  }

  /** The bytes up to a line's end, or to the end of the stream; undefined at the end, and null for more than `max`. */
  async takeLine(max: number): Promise<Bytes | undefined | null> {
    let searched = 0
    for (let window = 64 * 1024; ; window *= 2) {
      const bytes = await this.peek(Math.min(window, max + 1))
      const at = bytes.indexOf(NEWLINE, searched)
      if (at >= 0) return this.takeUpTo(at)
      searched = bytes.length
      if (bytes.length > max) return this.skipLine()
      if (bytes.length < Math.min(window, max + 1)) return bytes.length === 0 ? undefined : this.take(bytes.length)
    }
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.chunks.return?.()
  }

  private async takeUpTo(at: number): Promise<Bytes> {
    const line = await this.take(at)
    this.drop(1)
    return line
  }

  private async skipLine(): Promise<null> {
    for (;;) {
      const bytes = await this.peek(1)
      if (bytes.length === 0) return null
      const chunk = this.held[0] ?? bytes
      const at = chunk.indexOf(NEWLINE)
      this.drop(at < 0 ? chunk.length : at + 1)
      if (at >= 0) return null
    }
  }

  private drop(count: number): void {
    this.offset += count
    this.heldBytes -= count
    let left = count
    while (left > 0) {
      const first = this.held[0]
      if (first === undefined) return
      if (first.length > left) {
        this.held[0] = first.subarray(left)
        return
      }
      left -= first.length
      this.held.shift()
    }
  }
}

const NEWLINE = 0x0a
