import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/notifications.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { CommandFailed } from '../failure.ts'
import { wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { changedTarget, newTarget, type TargetFlags, targetOptions } from './channel-target.ts'

type ChannelAnswer = Static<typeof schemas.channel>
type NewChannelAnswer = Static<typeof schemas.channelWithSecret>
type DeliveryAnswer = Static<typeof schemas.delivery>
type DeliveryPage = Static<typeof schemas.deliveryPage>

export function addChannelCommands(program: Command, shell: Shell): void {
  const channels = program.command('channels').description('whom the alerts of a Grid are told to')
  addApiCommand(channels, shell, list)
  addApiCommand(channels, shell, show)
  addApiCommand(channels, shell, add)
  addApiCommand(channels, shell, update)
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

const show: ApiCommand<ChannelAnswer> = {
  usage: 'show <channel>',
  about: 'show a channel, by id or name',
  onGrid: true,
  ask: async (asked) => asked.client.get(await pathOf(asked, await channelOf(asked))),
  show: (channel) => formatTable(COLUMNS, [channel]),
}

const add: ApiCommand<NewChannelAnswer, TargetFlags> = {
  usage: 'add <name>',
  about: 'add a channel: channels add Pager --webhook https://receiver.example.com/faultline',
  onGrid: true,
  options: targetOptions(),
  ask: async ({ client, gridPath, args: [name = ''], flags, shell }) =>
    client.post(`/apm/grids/${await gridPath()}/channels`, { name, ...(await newTarget(flags, shell)) }),
  show: (channel) =>
    channel.signingSecret === null
      ? formatTable(COLUMNS, [channel])
      : `${formatTable(COLUMNS, [channel])}\n\nThe secret that its messages are signed with, which is not shown again:\n\n  ${channel.signingSecret}\n`,
}

const update: ApiCommand<ChannelAnswer, TargetFlags & { name?: string }> = {
  usage: 'update <channel>',
  about: 'change a channel, by id or name; what is not given stays as it is',
  onGrid: true,
  options: [new Option('--name <text>', 'a new name'), ...targetOptions()],
  ask: async (asked) => {
    const { client, flags, shell } = asked
    const channel = await channelOf(asked)
    const target = await changedTarget(channel, flags, shell)
    return client.put(await pathOf(asked, channel), { name: flags.name ?? channel.name, ...target })
  },
  show: (channel) => formatTable(COLUMNS, [channel]),
}

const remove: ApiCommand<void> = {
  usage: 'remove <channel>',
  about: 'remove a channel, by id or name, with the messages that wait',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked, await channelOf(asked))),
  show: () => 'Removed.',
}

const test: ApiCommand<DeliveryAnswer> = {
  usage: 'test <channel>',
  about: 'send a test message to a channel, by id or name, and fail where it does not arrive',
  onGrid: true,
  ask: async (asked) => {
    const delivery: DeliveryAnswer = await asked.client.post(`${await pathOf(asked, await channelOf(asked))}/test`)
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
  ask: async (asked) =>
    asked.client.get(`${await pathOf(asked, await channelOf(asked))}/deliveries`, { page: asked.flags.page }),
  show: ({ items }) => formatTable(DELIVERY_COLUMNS, items),
}

async function listChannels<Flags>({ client, gridPath }: Asked<Flags>): Promise<Listed<ChannelAnswer>> {
  return client.get(`/apm/grids/${await gridPath()}/channels`)
}

async function channelOf<Flags>(asked: Asked<Flags>): Promise<ChannelAnswer> {
  const [named = ''] = asked.args
  const { items } = await listChannels(asked)
  const channel = items.find(({ id }) => id === named) ?? items.find(({ name }) => name === named)
  if (channel === undefined) throw new CommandFailed(`This Grid has no notification channel ${named}.`)
  return channel
}

async function pathOf<Flags>({ gridPath }: Asked<Flags>, { id }: ChannelAnswer): Promise<string> {
  return `/apm/grids/${await gridPath()}/channels/${encodeURIComponent(id)}`
}
