import { RE2JS } from 're2js'
import { keyPattern } from './key-pattern.ts'
import type { TextFinder } from './text-finder.ts'

/** Attributes whose values are secrets whatever they look like. */
const SECRET_KEYS = [
  '*password*',
  '*passwd*',
  '*passphrase*',
  '*secret*',
  '*credential*',
  '*authorization',
  '*cookie',
  '*api_key*',
  '*api-key*',
  '*apikey*',
  '*private_key*',
  '*private-key*',
  '*access_token*',
  '*access-token*',
  '*refresh_token*',
  '*refresh-token*',
  '*id_token',
  '*auth_token*',
  '*auth-token*',
  '*session_token*',
  'token',
  '*.token',
].map(keyPattern)

export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.some((matches) => matches(key))
}

/** What tokens of well-known issuers look like: the whole of it is the secret. */
const TOKENS = [
  '\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b',
  '\\bgh[oprsu]_[A-Za-z0-9]{36,255}',
  '\\bgithub_pat_[A-Za-z0-9_]{22,255}',
  '\\bglpat-[A-Za-z0-9_-]{20,255}',
  '\\bxox[abeoprs]-[A-Za-z0-9-]{10,255}',
  '\\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}',
  '\\bsk-[A-Za-z0-9_-]{20,255}',
  '\\bnpm_[A-Za-z0-9]{36}',
  '\\bAIza[A-Za-z0-9_-]{35}',
  '\\bfl[cks]_[A-Za-z0-9_-]{43}',
  '\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
  '-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\\z)',
]

const NAMES = [
  'pass(?:word|wd|phrase)',
  'pwd',
  'secret',
  '(?:api|access|private|secret|auth)[_-]?key',
  '(?:access|refresh|id|auth|session)?[_-]?token',
  'authorization',
].join('|')
const SCHEME = '(?:bearer|basic)\\s+'

/** What tells that a secret follows stays as it is. */
const FOLLOWING = [
  `((?i:(?:${NAMES})\\\\?["']?\\s*[:=]\\s*\\\\?["']?(?:${SCHEME})?))([^\\s"'\\\\&,;(){}\\[\\]]+)`,
  `((?i:\\b${SCHEME}))([A-Za-z0-9+/=._~-]{8,})`,
  '(://[^\\s/@:]*:)([^\\s/@]+)@',
]

/** Tokens come last: a secret that something leads up to is one as a whole. */
const SECRET = RE2JS.compile([...FOLLOWING, ...TOKENS].join('|'))

/** Passwords, keys and tokens, by what leads up to them or by what they look like. */
export const findSecrets: TextFinder = {
  digitsMin: Number.POSITIVE_INFINITY,
  replace(text, mask) {
    if (!SECRET.test(text)) return text
    return SECRET.matcher(text).replaceAll((found, ...groups) => {
      const at = groups.slice(0, 2 * FOLLOWING.length).findIndex((group) => group !== undefined)
      if (at < 0) return mask(found)
      const [before, secret] = groups.slice(at) as [string, string]
      return before + mask(secret) + found.slice(before.length + secret.length)
    })
  },
}
