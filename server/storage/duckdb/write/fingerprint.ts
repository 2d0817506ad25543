import { createHash, randomBytes } from 'node:crypto'

/** The two halves of a 64-bit fingerprint; filled anew by each call, so that the hot path makes no object. */
export const fingerprint = { high: 0, low: 0 }

/** Fingerprints live no longer than the process. Nobody can know them, and so nobody can make many that crowd each other. */
const SALT = randomBytes(16)

/** Two 32-bit seeds from a text, for fingerprints that must differ between texts: a Grid, a kind of record. */
export function seedsOf(text: string): Uint32Array {
  const digest = createHash('sha256').update(SALT).update(text).digest()
  return new Uint32Array([digest.readUInt32LE(0), digest.readUInt32LE(4)])
}

/** Mixes bytes (a multiple of four of them) into the fingerprint begun with the seeds. */
export function fingerprintOf(seeds: Uint32Array, first: Uint8Array, firstAt: number, firstBytes: number): void {
  fingerprint.high = seeds[0] as number
  fingerprint.low = seeds[1] as number
  mixBytes(first, firstAt, firstBytes)
}

export function mixBytes(bytes: Uint8Array, at: number, count: number): void {
  let { high, low } = fingerprint
  for (let i = at; i < at + count; i += 4) {
    const word =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24)
    high = stirred(high ^ word, 0x85ebca6b)
    low = stirred(low ^ word, 0xcc9e2d51)
    high = (high + low) | 0
    low = (low ^ (high >>> 7)) | 0
  }
  fingerprint.high = high
  fingerprint.low = low
}

/** A step that no two inputs share an output of: multiplication by an odd number, a rotation, a shift folded in. */
function stirred(value: number, odd: number): number {
  const product = Math.imul(value, odd)
  const turned = (product << 15) | (product >>> 17)
  const mixed = Math.imul(turned, 0x1b873593)
  return mixed ^ (mixed >>> 13)
}

/** Bytes of a UUID in text form. */
export function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

/** The name of an origin within the store: 8 bytes, little-endian. */
export function contentHash(...parts: string[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest().subarray(0, 16)
}
