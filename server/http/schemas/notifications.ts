import Type from 'typebox'
import { DELIVERY_STATES } from '../../control/notification-store.ts'
import { CHANNEL_KINDS, CHANNEL_LIMITS, MAIL_SECURITIES } from '../../domain/notification-channel.ts'
import { pageOf } from './paging.ts'
import { ACCEPTS, datetimeIn, datetimeOut, fields, integer, name, orNull, text } from './values.ts'

const url = (more = '') =>
  Type.String({
    description: `Where messages are posted, http:// or https://. Redirects are not followed, and addresses inside the server's own network are refused unless its configuration allows them.${more}`,
    maxLength: CHANNEL_LIMITS.urlCharsMax,
    examples: ['https://receiver.example.com/faultline'],
  })

const mailAddress = (description: string) =>
  Type.String({
    description,
    maxLength: CHANNEL_LIMITS.addressCharsMax,
    pattern: '^[^\\s@<>,;"\\\\()]+@[^\\s@<>,;"\\\\()]+$',
    [ACCEPTS]: 'a mail address such as oncall@example.com',
    examples: ['oncall@example.com'],
  })

const signingSecret = Type.Optional(
  text(
    'What messages are signed with, 16 printable ASCII characters or more. One is made where none is given, and kept where the channel has one.',
    CHANNEL_LIMITS.secretCharsMax,
  ),
)

const keptUrl = Type.Optional(url(' Kept where none is given.'))

const mail = {
  host: Type.String({
    description: 'The mail server.',
    maxLength: CHANNEL_LIMITS.hostCharsMax,
    pattern: '^[A-Za-z0-9.:-]+$',
    [ACCEPTS]: 'a host name or an IP address',
    examples: ['smtp.example.com'],
  }),
  port: integer('By default 465 for `tls`, 587 for `starttls`, 25 for `none`.', 1, 65_535),
  security: Type.Enum(MAIL_SECURITIES, {
    description:
      'How the connection is protected: `tls` from the start, `starttls` by an upgrade that the server must offer, or `none`. By default `starttls`.',
  }),
  username: text('Whom to sign in as, over a protected connection only. By default nobody.', 320),
  from: mailAddress('The sender.'),
  to: Type.Array(mailAddress('A recipient.'), {
    minItems: 1,
    maxItems: CHANNEL_LIMITS.recipientsMax,
    uniqueItems: true,
  }),
}

const email = fields({
  ...mail,
  port: Type.Optional(mail.port),
  security: Type.Optional(mail.security),
  username: Type.Optional(mail.username),
  password: Type.Optional(
    text('Never shown again. Kept where none is given and the channel has one.', CHANNEL_LIMITS.secretCharsMax),
  ),
})

const channelName = name('What the channel is called; no other channel of the Grid is.', CHANNEL_LIMITS.nameCharsMax)

export const newChannel = fields({
  name: channelName,
  webhook: Type.Optional(fields({ url: url(), signingSecret })),
  slack: Type.Optional(fields({ url: url() })),
  email: Type.Optional(email),
})

export const changedChannel = fields({
  name: channelName,
  webhook: Type.Optional(fields({ url: keptUrl, signingSecret })),
  slack: Type.Optional(fields({ url: keptUrl })),
  email: Type.Optional(email),
})

const channelFields = {
  id: Type.String(),
  name: Type.String(),
  kind: Type.Enum(CHANNEL_KINDS),
  webhook: orNull(fields({ url: Type.String({ description: 'Without its query, which may hold a secret.' }) })),
  slack: orNull(fields({ url: Type.String({ description: 'Its origin only: whoever knows the rest may post.' }) })),
  email: orNull(fields(mail)),
  createdAt: datetimeOut(),
  updatedAt: datetimeOut(),
}

export const channel = fields(channelFields)
export const channelWithSecret = fields({
  ...channelFields,
  signingSecret: orNull(
    Type.String({ description: 'What messages of a webhook are signed with. Shown this once and never again.' }),
  ),
})

export const channelId = name('A notification channel, by its id.')

export const delivery = fields({
  id: Type.String({ description: 'The same on every attempt; the receiver knows the message by it.' }),
  kind: Type.Enum(['alerts', 'test'] as const),
  state: Type.Enum(DELIVERY_STATES),
  createdAt: datetimeOut(),
  attempts: Type.Integer(),
  lastAttemptAt: orNull(datetimeOut()),
  nextAttemptAt: orNull(datetimeOut('Null where it is not sent again.')),
  deliveredAt: orNull(datetimeOut()),
  statusCode: orNull(Type.Integer({ description: 'What the receiver answered last.' })),
  error: Type.String({ description: 'Why the last attempt failed; empty where it did not.' }),
  alerts: Type.Array(
    fields({
      alertId: Type.String(),
      transition: Type.Enum(['firing', 'resolved'] as const),
      ruleName: Type.String(),
      serviceName: Type.String(),
    }),
  ),
})

export const deliveryPage = pageOf(delivery, { items: 'Newest first.' })

const silenceFields = {
  ruleId: orNull(name('Alerts of this rule; null, the default, for any.')),
  serviceName: orNull(name('Alerts of this service; null, the default, for any.', 1024)),
  reason: text('Why, for those who look at it.', CHANNEL_LIMITS.reasonCharsMax),
}

export const newSilence = fields({
  ruleId: Type.Optional(silenceFields.ruleId),
  serviceName: Type.Optional(silenceFields.serviceName),
  reason: Type.Optional(silenceFields.reason),
  startsAt: Type.Optional(datetimeIn('When it begins; by default now.')),
  endsAt: datetimeIn(`When it ends, at most ${CHANNEL_LIMITS.silenceDaysMax} days ahead.`),
})

export const silence = fields({
  id: Type.String(),
  ...silenceFields,
  createdBy: Type.String(),
  startsAt: datetimeOut(),
  endsAt: datetimeOut(),
})

export const silenceId = name('A silence, by its id.')
