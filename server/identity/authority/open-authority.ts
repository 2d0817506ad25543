import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose'
import type { ControlStoreWithAuthority } from '../../control/authority-store.ts'
import { type AuthorityKeys, keysAt } from './authority-keys.ts'
import { createProvider } from './create-provider.ts'
import { loadOidcProvider } from './load-oidc-provider.ts'

const MOUNT = '/oauth'
const KEYS_SETTING = 'authority.keys'
const UPKEEP_MS = 10 * 60_000

export interface AuthorityOptions {
  control: ControlStoreWithAuthority
  /** Where browsers reach the server. */
  publicUrl: string
  /** Told of faults inside, never of what a caller did wrong. */
  reportError: (error: unknown) => void
}

/** The server as its own OAuth 2.0 and OpenID provider. */
export interface Authority {
  issuer: string
  audience: string
  /** The keys that vouch for its tokens, without asking over HTTP; follows a rotation. */
  jwks: JWTVerifyGetKey
  /**
   * Answers everything under `/oauth`, whether or not the mount has been taken off `url`, and the discovery documents
   * under `/.well-known/…/oauth`. The body must not have been read.
   */
  handler(request: IncomingMessage, response: ServerResponse): void
  /** Makes new keys where the newest are 90 days old; the old ones are published for 30 more days. */
  rotateSigningKeys(nowMs: number): Promise<void>
  close(): Promise<void>
}

export async function openAuthority({ control, reportError, ...options }: AuthorityOptions): Promise<Authority> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  const library = await loadOidcProvider()
  const issuer = `${publicUrl}${MOUNT}`
  const audience = `${publicUrl}/api`
  const mountPath = new URL(issuer).pathname

  function equip(keys: AuthorityKeys) {
    const provider = createProvider(issuer, { library, control, keys, publicUrl, audience, mountPath, reportError })
    const jwks = createLocalJWKSet({ keys: keys.signing.map(({ key }) => publicPartOf(key)) })
    return { fingerprint: JSON.stringify(keys), answer: provider.callback(), jwks }
  }

  let current = equip(await loadKeys(control, Date.now()))

  async function rotateSigningKeys(nowMs: number): Promise<void> {
    const keys = await loadKeys(control, nowMs)
    if (JSON.stringify(keys) !== current.fingerprint) current = equip(keys)
  }

  async function keepUp(): Promise<void> {
    await rotateSigningKeys(Date.now())
    while ((await control.authority.payloads.purge(Date.now())) > 0) await new Promise(setImmediate)
  }

  let upkeep = Promise.resolve()
  const timer = setInterval(() => {
    upkeep = keepUp().catch(reportError)
  }, UPKEEP_MS).unref()

  return {
    issuer,
    audience,
    jwks: (header, token) => current.jwks(header, token),
    handler(request, response) {
      const url = unmounted(request.url ?? '/', mountPath)
      current.answer(Object.assign(request, { url, originalUrl: `${mountPath}${url}` }), response).catch(reportError)
    },
    rotateSigningKeys,
    async close() {
      clearInterval(timer)
      await upkeep
    },
  }
}

async function loadKeys(control: ControlStoreWithAuthority, nowMs: number): Promise<AuthorityKeys> {
  const update = (value: string | undefined) =>
    JSON.stringify(keysAt(value === undefined ? undefined : JSON.parse(value), nowMs))
  return JSON.parse(await control.authority.settings.update(KEYS_SETTING, update))
}

function publicPartOf({ d: _, ...jwk }: JWK): JWK {
  return jwk
}

/** RFC 8414 puts the mount behind the well-known part, OpenID before it. */
function unmounted(url: string, mountPath: string): string {
  const wellKnown = /^(\/\.well-known\/[a-z-]+)(\/.*)$/.exec(url)
  if (wellKnown?.[1] !== undefined && wellKnown[2] === mountPath) return wellKnown[1]
  const [path = '', ...query] = url.split('?')
  const isMounted = path === MOUNT || path.startsWith(`${MOUNT}/`)
  const local = isMounted ? path.slice(MOUNT.length) : path
  return [local.startsWith('/') ? local : '/', ...query].join('?')
}
