import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { JWK } from 'jose'

const DAY_MS = 24 * 60 * 60_000
const USED_MS = 90 * DAY_MS
/** How long a key vouches for what it signed after another has taken its place. */
const KEPT_MS = 30 * DAY_MS

interface Dated<T> {
  createdAtMs: number
  retiredAtMs: number | null
  key: T
}

/** Newest first: the first of each signs, the others are there to verify. */
export interface AuthorityKeys {
  signing: Dated<JWK>[]
  cookies: Dated<string>[]
}

/** The keys as they are to be at that time: without those whose time is over, with new ones where the newest are old. */
export function keysAt(current: AuthorityKeys | undefined, nowMs: number): AuthorityKeys {
  return {
    signing: renewed(current?.signing ?? [], nowMs, makeSigningKey),
    cookies: renewed(current?.cookies ?? [], nowMs, makeCookieKey),
  }
}

function renewed<T>(keys: Dated<T>[], nowMs: number, make: () => T): Dated<T>[] {
  const kept = keys.filter(({ retiredAtMs }) => retiredAtMs === null || retiredAtMs + KEPT_MS > nowMs)
  const inUse = kept.some(({ retiredAtMs, createdAtMs }) => retiredAtMs === null && createdAtMs + USED_MS > nowMs)
  if (inUse) return kept
  const retired = kept.map((key) => ({ ...key, retiredAtMs: key.retiredAtMs ?? nowMs }))
  return [{ createdAtMs: nowMs, retiredAtMs: null, key: make() }, ...retired]
}

function makeSigningKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomBytes(16).toString('base64url')
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'ES256', use: 'sig' }
}

function makeCookieKey(): string {
  return randomBytes(32).toString('base64url')
}
