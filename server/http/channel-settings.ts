import type { Static } from 'typebox'
import { RecordRefused } from '../control/record-refused.ts'
import { refuseWeakSecret } from '../control/secrets.ts'
import { addressFaultOf, type ChannelTarget, type MailSecurity } from '../domain/notification-channel.ts'
import type * as schemas from './schemas/notifications.ts'

type Body = Static<typeof schemas.newChannel> | Static<typeof schemas.changedChannel>

export interface ChannelSettings {
  target: ChannelTarget
  /** Undefined where none was given. */
  secret: string | undefined
}

const PORTS: Record<MailSecurity, number> = { tls: 465, starttls: 587, none: 25 }

/** Where a channel is to lead; with an empty URL where none was given. Fails with `RecordRefused`; `refusalOf` says which hosts are not sent to. */
export function channelSettingsOf(body: Body, refusalOf: (host: string) => string | undefined): ChannelSettings {
  const { webhook, slack, email } = body
  const given = [webhook, slack, email].filter((each) => each !== undefined)
  if (given.length !== 1) throw new RecordRefused('The body must have exactly one of webhook, slack, email.')
  if (webhook) {
    if (webhook.url !== undefined) refuseAddress('webhook.url', webhook.url, refusalOf)
    if (webhook.signingSecret !== undefined) refuseWeakSecret(webhook.signingSecret)
    return { target: { kind: 'webhook', url: webhook.url ?? '' }, secret: webhook.signingSecret }
  }
  if (email) return { target: emailTarget(email, refusalOf), secret: email.password }
  const url = slack?.url
  if (url === undefined) return { target: { kind: 'slack', url: '' }, secret: undefined }
  refuseAddress('slack.url', url, refusalOf)
  return { target: { kind: 'slack', url: `${new URL(url).origin}/…` }, secret: url }
}

function emailTarget(
  email: NonNullable<Body['email']>,
  refusalOf: (host: string) => string | undefined,
): ChannelTarget {
  const { host, security = 'starttls', port = PORTS[security], username = '', from, to } = email
  const refusal = refusalOf(host)
  if (refusal !== undefined) throw new RecordRefused(`email.host: ${refusal}`)
  if (username !== '' && security === 'none')
    throw new RecordRefused('email.username needs a protected connection: security must be tls or starttls.')
  return { kind: 'email', host, port, security, username, from, to }
}

function refuseAddress(field: string, url: string, refusalOf: (host: string) => string | undefined): void {
  const fault = addressFaultOf(url)
  if (fault !== undefined) throw new RecordRefused(`${field} must ${fault}.`)
  const refusal = refusalOf(new URL(url).hostname)
  if (refusal !== undefined) throw new RecordRefused(`${field}: ${refusal}`)
}
