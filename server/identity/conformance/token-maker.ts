import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

export const NOW_S = Math.floor(Date.now() / 1000)

export interface SigningKey {
  alg: string
  kid: string
  privateKey: CryptoKey
  publicKey: CryptoKey
  jwk: JWK
}

export async function makeKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export function sign(key: SigningKey, claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
    .sign(key.privateKey)
}

export function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

export interface ProviderServer {
  issuer: string
  requests: string[]
  /** What it answers, by path; anything else is 404. */
  documents: Map<string, unknown>
  close(): Promise<void>
}

/** An OpenID provider as far as verifying tokens needs one. */
export async function serveProvider(keys: JWK[]): Promise<ProviderServer> {
  const documents = new Map<string, unknown>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const document = documents.get(request.url ?? '')
    response.statusCode = document === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/shop`
  documents.set('/realms/shop/.well-known/openid-configuration', { issuer, jwks_uri: `${issuer}/keys` })
  documents.set('/realms/shop/keys', { keys })
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { issuer, requests, documents, close }
}
