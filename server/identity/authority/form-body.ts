import type { IncomingMessage } from 'node:http'

const FORM_BYTES_MAX = 16_384

/** Undefined for a body that is no form or is longer than any form here. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')
  if (!isForm) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > FORM_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
