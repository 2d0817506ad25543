import { createHmac } from 'node:crypto'
import type { PrivacyAction } from '../domain/privacy-rule.ts'

/** What stands where something was. */
const REDACTED = '[redacted]'

const HASH_HEX_CHARS = 24
/** Hashes that are remembered; the same customers come again and again. */
const REMEMBERED_MAX = 10_000
const REMEMBERED_CHARS_MAX = 256

export type Mask = (text: string) => string

export function createMask(action: PrivacyAction, hashSecret: string): Mask {
  return action === 'redact' ? () => REDACTED : createHasher(hashSecret)
}

/**
 * The same for equal texts, so that they can be searched for and counted. Without the secret nobody can find a text by hashing
 * all that it might be. 96 bits are left, so that no two texts of a Grid ever share a hash.
 */
export function createHasher(hashSecret: string): Mask {
  const remembered = new Map<string, string>()
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const hash = `hash:${createHmac('sha256', hashSecret).update(text).digest('hex').slice(0, HASH_HEX_CHARS)}`
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    if (text.length <= REMEMBERED_CHARS_MAX) remembered.set(text, hash)
    return hash
  }
}
