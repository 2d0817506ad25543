export const CHANNEL_KINDS = ['webhook', 'slack', 'email'] as const

/** How a connection to a mail server is protected: from the start, by an upgrade that is insisted on, or not at all. */
export const MAIL_SECURITIES = ['tls', 'starttls', 'none'] as const
export type MailSecurity = (typeof MAIL_SECURITIES)[number]

/** Where a channel leads, with nothing in it that must stay secret. */
export type ChannelTarget =
  | { kind: 'webhook'; url: string }
  /** Whoever knows the whole address may post, so that it is the channel's secret, and this is only its origin. */
  | { kind: 'slack'; url: string }
  | {
      kind: 'email'
      host: string
      port: number
      security: MailSecurity
      /** Empty where the server asks for none. */
      username: string
      from: string
      to: string[]
    }

export interface NotificationChannel {
  id: string
  gridId: string
  name: string
  target: ChannelTarget
  createdAtMs: number
  updatedAtMs: number
}

export const CHANNEL_LIMITS = {
  channelsPerGridMax: 50,
  nameCharsMax: 200,
  urlCharsMax: 2000,
  secretCharsMax: 512,
  hostCharsMax: 253,
  addressCharsMax: 320,
  recipientsMax: 20,
  silencesPerGridMax: 200,
  silenceDaysMax: 366,
  reasonCharsMax: 2000,
} as const

/** What is wrong with the address of a receiver, in words that follow "url must"; undefined where it can be one. */
export function addressFaultOf(address: string): string | undefined {
  if (address.length > CHANNEL_LIMITS.urlCharsMax) return `have at most ${CHANNEL_LIMITS.urlCharsMax} characters`
  if (!/^https?:\/\/[^/\s]/i.test(address) || /\s/.test(address) || !URL.canParse(address))
    return 'be a http:// or https:// URL'
  const { username, password, hash } = new URL(address)
  return username || password || hash ? 'have neither user nor fragment' : undefined
}
