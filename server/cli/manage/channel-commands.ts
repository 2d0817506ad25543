import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import { MAIL_SECURITIES, type MailSecurity } from '../../domain/notification-channel.ts'
import type * as schemas from '../../http/schemas/notifications.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { CommandFailed, WrongUsage } from '../failure.ts'
import { wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { newPassword } from './new-password.ts'

type ChannelAnswer = Static<typeof schemas.channel>
type NewChannelAnswer = Static<typeof schemas.channelWithSecret>
type NewChannel = Static<typeof schemas.newChannel>
type DeliveryAnswer = Static<typeof schemas.delivery>
type DeliveryPage = Static<typeof schemas.deliveryPage>

export function addChannelCommands(program: Command, shell: Shell): void {
  const channels = program.command('channels').description('whom the alerts of a Grid are told to')
  addApiCommand(channels, shell, list)
  addApiCommand(channels, shell, add)
  addApiCommand(channels, shell, remove)
  addApiCommand(channels, shell, test)
  addApiCommand(channels, shell, deliveries)
}

const COLUMNS: Column<ChannelAnswer>[] = [
  { title: 'CHANNEL', value: (channel) => channel.id },
  { title: 'NAME', value: (channel) => channel.name },
  { title: 'KIND', value: (channel) => channel.kind },
  {
    title: 'TO',
    value: ({ webhook, slack, email }) => webhook?.url ?? slack?.url ?? email?.to.join(', ') ?? null,
  },
]

const DELIVERY_COLUMNS: Column<DeliveryAnswer>[] = [
  { title: 'DELIVERY', value: (delivery) => delivery.id },
  { title: 'CREATED', value: (delivery) => delivery.createdAt },
  { title: 'STATE', value: (delivery) => delivery.state },
  { title: 'ATTEMPTS', value: (delivery) => delivery.attempts, align: 'right' },
  { title: 'NEXT', value: (delivery) => delivery.nextAttemptAt },
  {
    title: 'ABOUT',
    value: ({ kind, alerts }) =>
      kind === 'test'
        ? 'test'
        : alerts.map(({ transition, ruleName, serviceName }) => `${transition} ${ruleName} ${serviceName}`).join('; '),
  },
  { title: 'ERROR', value: (delivery) => delivery.error || null },
]

const list: ApiCommand<Listed<ChannelAnswer>> = {
  usage: 'list',
  about: 'list the notification channels of a Grid',
  onGrid: true,
  ask: (asked) => listChannels(asked),
  show: ({ items }) => formatTable(COLUMNS, items),
}

interface AddFlags {
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

const add: ApiCommand<NewChannelAnswer, AddFlags> = {
  usage: 'add <name>',
  about: 'add a channel: channels add Pager --webhook https://receiver.example.com/faultline',
  onGrid: true,
  options: [
    new Option('--webhook <url>', 'post signed JSON there; the signing secret is shown once'),
    new Option('--slack <url>', "an incoming webhook of Slack, or of what takes Slack's messages"),
    new Option('--email <list>', 'mail addresses, separated by commas').argParser((text) => text.split(/\s*,\s*/)),
    new Option('--smtp <host>', 'the mail server, with --email'),
    new Option('--smtp-port <n>', 'by default 587; 465 with tls, 25 with none').argParser(wholeNumber(1, 65_535)),
    new Option('--smtp-security <choice>', 'by default starttls').choices(MAIL_SECURITIES),
    new Option('--smtp-user <name>', 'whom to sign in as; the password is asked for'),
    new Option('--password-stdin', 'read that password from the first line of standard input'),
    new Option('--from <address>', 'the sender, with --email'),
  ],
  ask: async ({ client, gridPath, args: [name = ''], flags, shell }) =>
    client.post(`/apm/grids/${await gridPath()}/channels`, { name, ...(await targetOf(flags, shell)) }),
  show: (channel) =>
    channel.signingSecret === null
      ? formatTable(COLUMNS, [channel])
      : `${formatTable(COLUMNS, [channel])}\n\nThe secret that its messages are signed with, which is not shown again:\n\n  ${channel.signingSecret}\n`,
}

async function targetOf(flags: AddFlags, shell: Shell): Promise<Omit<NewChannel, 'name'>> {
  const { webhook, slack, email, smtp, from } = flags
  if ([webhook, slack, email].filter((each) => each !== undefined).length !== 1)
    throw new WrongUsage('Give one of --webhook, --slack and --email.')
  if (webhook !== undefined) return { webhook: { url: webhook } }
  if (slack !== undefined) return { slack: { url: slack } }
  if (smtp === undefined || from === undefined) throw new WrongUsage('With --email, give --smtp and --from too.')
  const { smtpPort: port, smtpSecurity: security, smtpUser: username, passwordStdin = false } = flags
  const password = username === undefined ? undefined : await newPassword(shell, passwordStdin)
  return {
    email: {
      host: smtp,
      from,
      to: email ?? [],
      ...(port !== undefined && { port }),
      ...(security !== undefined && { security }),
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
    },
  }
}

const remove: ApiCommand<void> = {
  usage: 'remove <channel>',
  about: 'remove a channel, by id or name, with the messages that wait',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked)),
  show: () => 'Removed.',
}

const test: ApiCommand<DeliveryAnswer> = {
  usage: 'test <channel>',
  about: 'send a test message to a channel, by id or name, and fail where it does not arrive',
  onGrid: true,
  ask: async (asked) => {
    const delivery: DeliveryAnswer = await asked.client.post(`${await pathOf(asked)}/test`)
    if (delivery.state !== 'delivered') throw new CommandFailed(delivery.error)
    return delivery
  },
  show: () => 'Delivered.',
}

const deliveries: ApiCommand<DeliveryPage, { page?: number }> = {
  usage: 'deliveries <channel>',
  about: 'list what was sent to a channel, by id or name, newest first',
  onGrid: true,
  options: [new Option('--page <n>', 'by 20; by default 1').argParser(wholeNumber(1))],
  ask: async (asked) => asked.client.get(`${await pathOf(asked)}/deliveries`, { page: asked.flags.page }),
  show: ({ items }) => formatTable(DELIVERY_COLUMNS, items),
}

async function listChannels<Flags>({ client, gridPath }: Asked<Flags>): Promise<Listed<ChannelAnswer>> {
  return client.get(`/apm/grids/${await gridPath()}/channels`)
}

async function pathOf<Flags>(asked: Asked<Flags>): Promise<string> {
  const [named = ''] = asked.args
  const { items } = await listChannels(asked)
  const channel = items.find(({ id }) => id === named) ?? items.find(({ name }) => name === named)
  if (channel === undefined) throw new CommandFailed(`This Grid has no notification channel ${named}.`)
  return `/apm/grids/${await asked.gridPath()}/channels/${encodeURIComponent(channel.id)}`
}
