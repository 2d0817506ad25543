import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { RecordRefused } from './record-refused.ts'

const SECRET_BYTES = 32
const GIVEN_SECRET_CHARS_MIN = 16
const GIVEN_SECRET_CHARS_MAX = 512

/** 256 bits of chance behind a mark that tells people and scanners what it is. */
export function makeSecret(mark: 'flk_' | 'flc_' | 'fls_'): string {
  return mark + randomBytes(SECRET_BYTES).toString('base64url')
}

/** Secrets have too much entropy to be guessed from a plain hash, so that checking one costs microseconds. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** In constant time for hashes of one length. */
export function sameHash(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left)
  const rightBytes = Buffer.from(right)
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes)
}

/** Printable ASCII only: anything else is changed on its way through a header. */
export function refuseWeakSecret(secret: string): void {
  if (secret.length < GIVEN_SECRET_CHARS_MIN || secret.length > GIVEN_SECRET_CHARS_MAX) {
    throw new RecordRefused(`A secret needs ${GIVEN_SECRET_CHARS_MIN} to ${GIVEN_SECRET_CHARS_MAX} characters.`)
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new RecordRefused('A secret may contain only printable ASCII characters and no spaces.')
  }
}
