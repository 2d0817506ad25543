import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'

// A certificate made for this test only, for localhost, valid until 2126, and its key.
const CERT = pem('CERTIFICATE', [
  'MIIBfjCCASWgAwIBAgIUdx7xVdRKTpNZlx0QMPl1pSbJcHAwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2',
  'MTExNTE0MzMyOVoYDzIxMjYxMDIyMTQzMzI5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC',
  'AARMzIxbwsYTVUqxLQyETfrY5FolKWVH25CfpmJeDWqNg7P2DdO8CO5hpP1WTXuCTHRsuJGtwGyikppkXQSVmGO2o1MwUTAdBgNV',
  'HQ4EFgQUtZ4Vbww5F40mW3Ql5f9Bijxv0QEwHwYDVR0jBBgwFoAUtZ4Vbww5F40mW3Ql5f9Bijxv0QEwDwYDVR0TAQH/BAUwAwEB',
  '/zAKBggqhkjOPQQDAgNHADBEAiBorpvoJTxKWhC6dfktHaFTmAb+fYXMim0ZRjS1w4QeoQIgD4XGBbg3Wg8ceE9V0mdzREwpvuof',
  'Lxgl+ke23t2IXr0=',
])
const KEY = pem('PRIVATE KEY', [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjib5kjL7WKpOrefdlpzHtB8WX6AyhoMyZt8Y+RzyfqehRANCAARM',
  'zIxbwsYTVUqxLQyETfrY5FolKWVH25CfpmJeDWqNg7P2DdO8CO5hpP1WTXuCTHRsuJGtwGyikppkXQSVmGO2',
])

let folder: string
const file = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-tls-'))
  writeFileSync(file('cert.pem'), CERT)
  writeFileSync(file('key.pem'), KEY)
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file('other.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(file('nonsense.pem'), 'nonsense')
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a certificate and its key are read', () => {
  expect(readTls('cert.pem', 'key.pem')).toEqual({ cert: CERT, key: KEY })
})

test('one without the other is refused', () => {
  expect(() => readTls('cert.pem', undefined)).toThrow(/^FAULTLINE_TLS_KEY is not set: with FAULTLINE_TLS_CERT it must/)
  expect(() => readTls(undefined, 'key.pem')).toThrow(/^FAULTLINE_TLS_CERT is not set: with FAULTLINE_TLS_KEY it must/)
})

test.each([
  [
    'a file that does not exist',
    'absent.pem',
    'key.pem',
    /^FAULTLINE_TLS_CERT is ".*absent.pem": .* can be read \(ENOENT\)$/,
  ],
  ['a folder', '.', 'key.pem', /^FAULTLINE_TLS_CERT is .* can be read \(EISDIR\)$/],
  ['a file that is no certificate', 'nonsense.pem', 'key.pem', /^FAULTLINE_TLS_CERT is .* a certificate in PEM$/],
  ['a file that is no key', 'cert.pem', 'nonsense.pem', /^FAULTLINE_TLS_KEY is .* a private key in PEM, .*passphrase$/],
  [
    'the key of another certificate',
    'cert.pem',
    'other.pem',
    /^FAULTLINE_TLS_KEY is .* the key of the certificate in FAULTLINE_TLS_CERT$/,
  ],
])('%s is refused', (_what, cert, key, message) => {
  expect(() => readTls(cert, key)).toThrow(message)
})

function readTls(cert: string | undefined, key: string | undefined) {
  return readConfig({
    FAULTLINE_TLS_CERT: cert && file(cert),
    FAULTLINE_TLS_KEY: key && file(key),
  }).tls
}

function pem(label: string, base64: string[]): string {
  return `-----BEGIN ${label}-----\n${base64.join('')}\n-----END ${label}-----\n`
}
