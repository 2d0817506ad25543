import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { Tls } from '../tls.ts'

/** A certificate for 127.0.0.1 and localhost that was made just now, so that none has to lie in the repository. */
export function createSelfSigned(): Tls {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const algorithm = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('127.0.0.1')))
  const name = sequence(der(0x31, commonName))
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const alternative = sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost')))
  const extension = sequence(der(0x06, Buffer.from('551d11', 'hex')), der(0x04, alternative))
  const version = der(0xa0, der(0x02, Buffer.from([2])))
  const serial = der(0x02, Buffer.from([1]))
  const body = sequence(version, serial, algorithm, name, validity, name, publicKey, der(0xa3, sequence(extension)))
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  return {
    cert: pem(sequence(body, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function sequence(...items: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items))
}

function der(tag: number, content: Buffer): Buffer {
  const length = content.length
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
