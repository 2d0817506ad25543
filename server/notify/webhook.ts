import { createHmac } from 'node:crypto'

/**
 * What lets a receiver know that a message is ours, of now, and whether it has seen it before. Signed is the timestamp, a dot
 * and the body, as they are sent.
 */
export function webhookHeaders(
  secret: string,
  deliveryId: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return {
    'content-type': 'application/json',
    'user-agent': 'Faultline',
    'faultline-delivery': deliveryId,
    'faultline-timestamp': timestamp,
    'faultline-signature': `v1=${signature}`,
  }
}
