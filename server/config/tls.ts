import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/** Both in PEM. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

/** Undefined where neither file is named. Throws `ConfigError` where they cannot be used together. */
export function readTls(certFile: string | undefined, keyFile: string | undefined): Tls | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined) throw missing('FAULTLINE_TLS_CERT', 'FAULTLINE_TLS_KEY')
  if (keyFile === undefined) throw missing('FAULTLINE_TLS_KEY', 'FAULTLINE_TLS_CERT')
  const cert = readPem(
    'FAULTLINE_TLS_CERT',
    certFile,
    'a file with a certificate in PEM',
    (pem) => new X509Certificate(pem),
  )
  const key = readPem('FAULTLINE_TLS_KEY', keyFile, 'a file with a private key in PEM, without a passphrase', (pem) =>
    createPrivateKey(pem),
  )
  if (!cert.parsed.checkPrivateKey(key.parsed)) {
    throw new ConfigError(
      `FAULTLINE_TLS_KEY is ${JSON.stringify(keyFile)}: it must be the key of the certificate in FAULTLINE_TLS_CERT`,
    )
  }
  return Object.freeze({ cert: cert.pem, key: key.pem })
}

function missing(variable: string, given: string): ConfigError {
  return new ConfigError(`${variable} is not set: with ${given} it must be the path of a file in PEM`)
}

function readPem<T>(
  variable: string,
  file: string,
  accepted: string,
  parse: (pem: string) => T,
): { pem: string; parsed: T } {
  try {
    const pem = readFileSync(file, 'utf8')
    return { pem, parsed: parse(pem) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = /^E[A-Z]+$/.test(code) && !code.startsWith('ERR_') ? `, which can be read (${code})` : ''
    throw new ConfigError(`${variable} is ${JSON.stringify(file)}: it must be ${accepted}${reason}`)
  }
}
