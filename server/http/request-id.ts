import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const SAFE_ID = /^[A-Za-z0-9._:-]{1,64}$/

/** The caller's own id where it can be written into a log and a header as it is, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID()
}
