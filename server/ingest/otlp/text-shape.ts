import { LINE_LENGTH_MAX } from '../../domain/log-template.ts'

const UTF8_BYTES_PER_UNIT_MAX = 3
const [LF, CR, MINUS, ZERO, COLON, SLASH] = [0x0a, 0x0d, 0x2d, 0x30, 0x3a, 0x2f]
const [LOWER_G, LOWER_X] = [0x67, 0x78]

const WORD = 1
const DIGIT = 2
const BEYOND_HEX = 4
/** What a byte is in a word; 0 for what is in none. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  if (byte > 127 || !/\w/.test(char)) return 0
  return WORD | (/\d/.test(char) ? DIGIT : 0) | (/[0-9a-f]/i.test(char) ? 0 : BEYOND_HEX)
})

/**
 * What of a text matters to `lineTemplate`, as a key: two texts of one shape have one template. A word with a digit in it becomes
 * a variable whatever it is, so that of such a word only its kind is left, and its length where it may be part of a UUID.
 */
export class TextShape {
  private readonly out = Buffer.allocUnsafe(LINE_LENGTH_MAX * UTF8_BYTES_PER_UNIT_MAX + 8)
  private length = 0

  /** Of the bytes from `start` to `end`, each as one character. */
  of(bytes: Uint8Array, start: number, end: number): string {
    this.length = 0
    const to = lineEnd(bytes, start, end)
    for (let at = start; at < to; ) {
      if (CLASSES[bytes[at] as number] === 0) this.out[this.length++] = bytes[at++] as number
      else at = this.word(bytes, start, at, to)
    }
    return this.out.toString('latin1', 0, this.length)
  }

  /** Returns where the word that begins at `from` ends. */
  private word(bytes: Uint8Array, start: number, from: number, to: number): number {
    const first = this.length
    let found = 0
    let at = from
    for (let kind = WORD; at < to; at++) {
      kind = CLASSES[bytes[at] as number] as number
      if (kind === 0) break
      found |= kind
      this.out[this.length++] = bytes[at] as number
    }
    if ((found & DIGIT) === 0 || isScheme(bytes, at, to)) return at
    const isInRow = (from > start && bytes[from - 1] === MINUS) || (at < to && bytes[at] === MINUS)
    this.length = first
    if (found & BEYOND_HEX) this.kindOfName(bytes, from, at)
    else this.zeros(isInRow && isLengthInUuid(at - from) ? at - from : 1)
    return at
  }

  private kindOfName(bytes: Uint8Array, from: number, to: number): void {
    if (isPrefixedHex(bytes, from, to)) {
      this.out[this.length++] = ZERO
      this.out[this.length++] = LOWER_X
    } else this.out[this.length++] = LOWER_G
    this.out[this.length++] = ZERO
  }

  private zeros(count: number): void {
    this.out.fill(ZERO, this.length, this.length + count)
    this.length += count
  }
}

/** The first line that says something, cut where `lineTemplate` does. */
function lineEnd(bytes: Uint8Array, start: number, end: number): number {
  let isBegun = false
  let units = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (isBegun && (byte === LF || byte === CR)) return at
    if (byte > 0x20 && byte < 0x7f) isBegun = true
    // A character is counted where it begins, and those beyond 16 bits count twice.
    if (byte < 0x80 || byte >= 0xc0) units += byte >= 0xf0 ? 2 : 1
    if (units > LINE_LENGTH_MAX) return at
  }
  return end
}

/** Of a URL: there each letter matters. */
function isScheme(bytes: Uint8Array, at: number, to: number): boolean {
  return at + 2 < to && bytes[at] === COLON && bytes[at + 1] === SLASH && bytes[at + 2] === SLASH
}

function isLengthInUuid(length: number): boolean {
  return length === 8 || length === 4 || length === 12
}

function isPrefixedHex(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 3 || bytes[from] !== ZERO || ((bytes[from + 1] as number) | 0x20) !== LOWER_X) return false
  for (let at = from + 2; at < to; at++) if (((CLASSES[bytes[at] as number] as number) & BEYOND_HEX) !== 0) return false
  return true
}
