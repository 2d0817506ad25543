import type { Attempt } from '../control/notification-store.ts'
import type { NotificationChannel } from '../domain/notification-channel.ts'
import type { AddressGuard } from './address-guard.ts'
import { sendEmail } from './email.ts'
import type { NotificationMessage } from './message.ts'
import { post } from './post.ts'
import { slackBody } from './slack.ts'
import { webhookHeaders } from './webhook.ts'
import { withinTime } from './within-time.ts'

export interface Sending {
  channel: NotificationChannel
  secret: string
  /** A `NotificationMessage` as JSON. */
  message: string
  nowMs: number
  signal: AbortSignal
  timeoutMs: number
}

/** Tries once to deliver a message, and says what came of it. Fails only where the message itself is no message. */
export function send(guard: AddressGuard, sending: Sending): Promise<Attempt> {
  const { channel, secret, message, nowMs, timeoutMs } = sending
  const { target } = channel
  const parsed: NotificationMessage = JSON.parse(message)
  return withinTime(timeoutMs, sending.signal, (signal) => {
    if (target.kind === 'email') return sendEmail(guard, target, secret, parsed, { signal, timeoutMs })
    if (target.kind === 'slack') {
      const headers = { 'content-type': 'application/json', 'user-agent': 'Faultline' }
      return post(guard, { url: secret, headers, body: slackBody(parsed), signal })
    }
    const headers = webhookHeaders(secret, parsed.deliveryId, message, nowMs)
    return post(guard, { url: target.url, headers, body: message, signal })
  })
}
