import type { ControlStore } from '../../control/control-store.ts'
import { RecordRefused } from '../../control/record-refused.ts'
import { makeSecret } from '../../control/secrets.ts'
import { CHANNEL_LIMITS } from '../../domain/notification-channel.ts'
import { EDITS_GRID, SEES_CHANNELS } from '../access.ts'
import type { NotificationTests } from '../app-dependencies.ts'
import { channelSettingsOf } from '../channel-settings.ts'
import type { Routes } from '../endpoint.ts'
import { listAnswer } from '../management-answers.ts'
import { channelAnswer, deliveryAnswer } from '../notification-answers.ts'
import { pagingOf } from '../paging.ts'
import { Problem } from '../problem.ts'
import { listOf } from '../schemas/management.ts'
import * as schemas from '../schemas/notifications.ts'
import { paging } from '../schemas/paging.ts'

const ALL = '/apm/grids/{gridSecondaryId}/channels'
const READING = { tag: 'Notifications', access: SEES_CHANNELS } as const
const EDITING = { tag: 'Notifications', access: EDITS_GRID } as const
const OF_CHANNEL = { params: { channelId: schemas.channelId }, problems: ['unknown-channel' as const] }
const ONE = `${ALL}/{channelId}`

const HOW_MESSAGES_ARE_SENT = `Alert rules name the channels that are told when their alerts begin to fire and when they end. Changes that follow each other closely are one message. It is repeated until the receiver answers with a status of 2xx within 10 seconds, at growing intervals of 2 seconds to 5 minutes, also over restarts of the server; meanwhile later messages of the channel wait. After 24 hours it is given up. A receiver may get a message twice: it knows it by its delivery id.

A webhook receives JSON: \`deliveryId\`, \`type\` (\`alerts\` or \`test\`), \`createdAt\`, \`grid\`, and \`alerts\` with the fields of an alert, a \`link\`, and the \`diagnosis\` that fits it where there is one. The header \`Faultline-Delivery\` is the delivery id, \`Faultline-Timestamp\` the time of sending in seconds since 1970, and \`Faultline-Signature\` is \`v1=\` and the HMAC-SHA256, in hex, of the timestamp, a dot and the body, by the signing secret. Refuse timestamps that are older than a few minutes.`

export function registerChannels({ onGrid }: Routes, { channels }: ControlStore, tests: NotificationTests): void {
  onGrid(
    { ...READING, method: 'GET', path: ALL, summary: 'List notification channels', response: listOf(schemas.channel) },
    async ({ grid }) => listAnswer((await channels.list(grid.id)).map(channelAnswer)),
  )

  onGrid(
    {
      ...READING,
      ...OF_CHANNEL,
      method: 'GET',
      path: ONE,
      summary: 'Get a notification channel',
      response: schemas.channel,
    },
    async ({ grid, params: { channelId } }) =>
      channelAnswer((await channels.find(grid.id, channelId)) ?? unknownChannel()),
  )

  onGrid(
    {
      ...EDITING,
      method: 'POST',
      path: ALL,
      summary: 'Create a notification channel',
      description: `Of one kind: \`webhook\`, \`slack\` (or whatever takes Slack's incoming webhooks) or \`email\`. A Grid may have ${CHANNEL_LIMITS.channelsPerGridMax} of them. ${HOW_MESSAGES_ARE_SENT}`,
      body: schemas.newChannel,
      response: schemas.channelWithSecret,
      created: true,
      problems: ['already-exists'],
    },
    async ({ grid, body }) => {
      const { target, secret = '' } = channelSettingsOf(body, tests.refusalOf)
      const signingSecret = target.kind === 'webhook' ? secret || makeSecret('fls_') : null
      const made = await channels.create(grid.id, { name: body.name, target, secret: signingSecret ?? secret })
      return { ...channelAnswer(made), signingSecret }
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_CHANNEL,
      method: 'PUT',
      path: ONE,
      summary: 'Change a notification channel',
      description:
        'Takes the channel as a whole, but for its secrets and addresses that may hold some: what is not given of them is kept. Its kind stays as it is. Messages that wait are tried again at once.',
      body: schemas.changedChannel,
      response: schemas.channel,
      problems: ['unknown-channel', 'already-exists'],
    },
    async ({ grid, params: { channelId }, body, nowMs }) => {
      const { target: current } = (await channels.find(grid.id, channelId)) ?? unknownChannel()
      const { target: wanted, secret } = channelSettingsOf(body, tests.refusalOf)
      if (wanted.kind !== current.kind) throw new RecordRefused(`This channel is of the kind ${current.kind}.`)
      const target = wanted.kind !== 'email' && wanted.url === '' ? current : wanted
      const change = { name: body.name, target, ...(secret !== undefined && { secret }) }
      return channelAnswer((await channels.update(grid.id, channelId, change, nowMs)) ?? unknownChannel())
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_CHANNEL,
      method: 'DELETE',
      path: ONE,
      summary: 'Remove a notification channel',
      description: 'With its deliveries, those that wait among them, and from the rules that name it.',
      response: null,
    },
    async ({ grid, params: { channelId } }) => {
      if (!(await channels.remove(grid.id, channelId))) unknownChannel()
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_CHANNEL,
      method: 'POST',
      path: `${ONE}/test`,
      summary: 'Test a notification channel',
      description:
        'Sends a message of the type `test` at once, ahead of those that wait, and tells what came of it within about 10 seconds. It is not repeated.',
      response: schemas.delivery,
      problems: ['unknown-channel', 'too-many-questions'],
    },
    async ({ grid, params: { channelId } }) => {
      const tested = await tests.test((await channels.find(grid.id, channelId)) ?? unknownChannel())
      if (tested) return deliveryAnswer(tested)
      const headers = { 'retry-after': '10' }
      throw new Problem('too-many-questions', 'Too many channels are being tested at the moment.', { headers })
    },
  )

  onGrid(
    {
      ...READING,
      ...OF_CHANNEL,
      method: 'GET',
      path: `${ONE}/deliveries`,
      summary: 'List what was sent to a notification channel',
      description: 'What waits, and the last 500 messages that were delivered or given up.',
      query: paging,
      response: schemas.deliveryPage,
    },
    async ({ grid, params: { channelId }, query }) => {
      if (!(await channels.find(grid.id, channelId))) unknownChannel()
      const { page, pageSize, portion } = pagingOf(query)
      const { items, totalCount } = await channels.deliveries(grid.id, channelId, portion)
      return { items: items.map(deliveryAnswer), totalCount, page, pageSize }
    },
  )
}

function unknownChannel(): never {
  throw new Problem('unknown-channel', 'This Grid has no such notification channel.')
}
