import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import Database from 'libsql'

interface Forging {
  header?: Record<string, unknown>
  claims?: JWTPayload
}

const NOW_S = Math.floor(Date.now() / 1000)

/** Signs tokens with the server's own key, taken from its database, or with keys that only look like it. */
export async function openForge(dataDir: string, url: string, subject: string) {
  const database = new Database(join(dataDir, 'control.sqlite'), { readonly: true })
  const row = database.prepare("select value from settings where key = 'authority.keys'").get() as { value: string }
  database.close()
  const jwk = (JSON.parse(row.value) as { signing: { key: JWK }[] }).signing[0]?.key ?? {}
  const claims = {
    iss: `${url}/oauth`,
    aud: `${url}/api`,
    sub: subject,
    client_id: subject,
    iat: NOW_S,
    exp: NOW_S + 600,
  }
  const headerOf = (header: object = {}) => ({ alg: 'ES256', kid: jwk.kid ?? '', typ: 'at+jwt', ...header })

  async function signed(key: JWK | Uint8Array, { header, claims: changed }: Forging = {}): Promise<string> {
    const imported = key instanceof Uint8Array ? key : await importJWK(key, 'ES256')
    return await new SignJWT({ ...claims, ...changed }).setProtectedHeader(headerOf(header)).sign(imported)
  }

  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK
  const { d: _, ...publicJwk } = jwk
  return {
    genuine: (forging?: Forging) => signed(jwk, forging),
    byStranger: () => signed(stranger),
    unsigned: (alg: string) => `${encoded(headerOf({ alg }))}.${encoded(claims)}.`,
    /** The public key as if it were the secret of an HMAC. */
    byPublicKey: () => signed(Buffer.from(JSON.stringify(publicJwk)), { header: { alg: 'HS256' } }),
    /** A genuine token that says something else than what was signed. */
    altered: async () => {
      const [header, , signature] = (await signed(jwk)).split('.')
      return `${header}.${encoded({ ...claims, sub: 'somebody else' })}.${signature}`
    },
  }
}
