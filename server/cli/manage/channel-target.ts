import { Option } from 'commander'
import type { Static } from 'typebox'
import { MAIL_SECURITIES, type MailSecurity } from '../../domain/notification-channel.ts'
import type * as schemas from '../../http/schemas/notifications.ts'
import { WrongUsage } from '../failure.ts'
import { wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { newPassword } from './new-password.ts'

type ChannelAnswer = Static<typeof schemas.channel>
type NewTarget = Omit<Static<typeof schemas.newChannel>, 'name'>
type ChangedTarget = Omit<Static<typeof schemas.changedChannel>, 'name'>
type Mail = NonNullable<NewTarget['email']>

/** Flags that say where a channel leads. */
export interface TargetFlags {
  webhook?: string
  slack?: string
  email?: string[]
  smtp?: string
  smtpPort?: number
  smtpSecurity?: MailSecurity
  smtpUser?: string
  passwordStdin?: true
  from?: string
}

export const targetOptions = () => [
  new Option('--webhook <url>', 'post signed JSON there'),
  new Option('--slack <url>', "an incoming webhook of Slack, or of what takes Slack's messages"),
  new Option('--email <list>', 'mail addresses, separated by commas').argParser((text) => text.split(/\s*,\s*/)),
  new Option('--smtp <host>', 'the mail server, with --email'),
  new Option('--smtp-port <n>', 'by default 587; 465 with tls, 25 with none').argParser(wholeNumber(1, 65_535)),
  new Option('--smtp-security <choice>', 'by default starttls').choices(MAIL_SECURITIES),
  new Option('--smtp-user <name>', 'whom to sign in as; the password is asked for'),
  new Option('--password-stdin', 'read that password from the first line of standard input'),
  new Option('--from <address>', 'the sender, with --email'),
]

export async function newTarget(flags: TargetFlags, shell: Shell): Promise<NewTarget> {
  const { webhook, slack, email, smtp, from } = flags
  if ([webhook, slack, email].filter((each) => each !== undefined).length !== 1)
    throw new WrongUsage('Give one of --webhook, --slack and --email.')
  if (webhook !== undefined) return { webhook: { url: webhook } }
  if (slack !== undefined) return { slack: { url: slack } }
  if (smtp === undefined || from === undefined) throw new WrongUsage('With --email, give --smtp and --from too.')
  return { email: { host: smtp, from, to: email ?? [], ...(await givenMail(flags, shell)) } }
}

/** What the flags change of where a channel leads; secrets that they do not mention are kept by the server. */
export async function changedTarget(channel: ChannelAnswer, flags: TargetFlags, shell: Shell): Promise<ChangedTarget> {
  const { webhook, slack } = flags
  const mail = await givenMail(flags, shell)
  const given = { webhook: webhook !== undefined, slack: slack !== undefined, email: Object.keys(mail).length > 0 }
  const isOfOtherKind = Object.entries(given).some(([kind, isGiven]) => isGiven && kind !== channel.kind)
  if (isOfOtherKind) throw new WrongUsage(`This channel is of the kind ${channel.kind}, which stays as it is.`)
  if (channel.email) return { email: { ...channel.email, ...mail } }
  if (channel.slack) return { slack: slack === undefined ? {} : { url: slack } }
  return { webhook: webhook === undefined ? {} : { url: webhook } }
}

async function givenMail(flags: TargetFlags, shell: Shell): Promise<Partial<Mail>> {
  const { smtp: host, from, email: to, smtpPort: port, smtpSecurity: security, smtpUser: username } = flags
  const isPasswordNeeded = username !== undefined || flags.passwordStdin
  const password = isPasswordNeeded ? await newPassword(shell, flags.passwordStdin ?? false) : undefined
  const given = Object.entries({ host, from, to, port, security, username, password })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}
