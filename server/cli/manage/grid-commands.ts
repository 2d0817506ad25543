import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import { SUBSCRIPTION_STATES, type SubscriptionState } from '../../control/control-store.ts'
import type * as schemas from '../../http/schemas/management.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import { bytesText } from '../bytes-text.ts'
import { chooseGrid, type GridAnswer, type Listed } from '../choose-grid.ts'
import { WrongUsage } from '../failure.ts'
import { keyValue, positiveNumber, wholeNumber, wholeNumberOr } from '../option-parsers.ts'
import { printable } from '../printable.ts'
import type { Shell } from '../shell.ts'
import { formatFields, formatTable } from '../table.ts'
import { requireConfirmation } from './require-confirmation.ts'

export function addGridCommands(program: Command, shell: Shell): void {
  const grids = program.command('grids').description('Grids: where telemetry lives')
  addApiCommand(grids, shell, list)
  addApiCommand(grids, shell, create)
  addApiCommand(grids, shell, show)
  addApiCommand(grids, shell, rename)
  addApiCommand(grids, shell, remove)
  addApiCommand(grids, shell, subscription)
  addApiCommand(grids, shell, retention)
  addApiCommand(grids, shell, usage)
  addApiCommand(grids, shell, limits)
  addApiCommand(grids, shell, apdex)
}

const list: ApiCommand<Listed<GridAnswer>> = {
  usage: 'list',
  about: 'list the Grids that you have a role on',
  ask: ({ client }) => client.get('/apm/grids'),
  show: ({ items }) =>
    formatTable<GridAnswer>(
      [
        { title: 'GRID', value: (grid) => grid.gridSecondaryId },
        { title: 'NAME', value: (grid) => grid.name },
        { title: 'ROLE', value: (grid) => grid.role },
        { title: 'PLAN', value: (grid) => grid.subscription.plan },
        { title: 'STATE', value: (grid) => grid.subscription.state },
        { title: 'RAW DAYS', value: (grid) => grid.retention.rawDays, align: 'right' },
        { title: 'CREATED', value: (grid) => grid.createdAt },
      ],
      items,
    ),
}

const create: ApiCommand<GridAnswer, { id?: string }> = {
  usage: 'create <name>',
  about: 'create a Grid',
  administers: true,
  options: [new Option('--id <uuid>', 'its id; by default one is made')],
  ask: ({ client, args: [name], flags: { id } }) =>
    client.post('/apm/grids', { name, ...(id !== undefined && { gridSecondaryId: id }) }),
  show: gridText,
}

const show: ApiCommand<GridAnswer> = {
  usage: 'show <grid>',
  about: 'show a Grid with its settings',
  ask: async (asked) => currentGrid(asked),
  show: gridText,
}

const rename: ApiCommand<GridAnswer> = {
  usage: 'rename <grid> <name>',
  about: 'give a Grid another name',
  ask: async ({ client, args: [named, name] }) => client.put(pathOf(await chooseGrid(client, named)), { name }),
  show: gridText,
}

const remove: ApiCommand<void, { yes?: true }> = {
  usage: 'delete <grid>',
  about: 'remove a Grid with its telemetry, keys and all else that belongs to it',
  options: [new Option('--yes', 'do not ask')],
  ask: async (asked) => {
    const { gridSecondaryId, name } = await currentGrid(asked)
    const what = `The Grid ${name} (${gridSecondaryId}) will be removed with all of its telemetry.`
    if (!asked.flags.yes) await requireConfirmation(asked.shell, printable(what), name)
    return asked.client.remove(pathOf(gridSecondaryId))
  },
  show: () => 'Removed.',
}

const subscription: ApiCommand<GridAnswer, { plan?: string; state?: SubscriptionState }> = {
  usage: 'subscription <grid>',
  about: 'change plan or state of the subscription',
  options: [
    new Option('--plan <name>', 'the plan, by name'),
    new Option('--state <state>', 'without active or trial nothing is served').choices(SUBSCRIPTION_STATES),
  ],
  ask: (asked) => change(asked, 'subscription', asked.flags, ['plan', 'state']),
  show: gridText,
}

interface RetentionFlags {
  rawDays?: number
  aggregateDays?: number
  diskShare?: number | 'none'
}

const retention: ApiCommand<GridAnswer, RetentionFlags> = {
  usage: 'retention <grid>',
  about: 'change how long telemetry is kept, and how much of it',
  options: [
    new Option('--raw-days <days>', 'spans, logs and metric points').argParser(wholeNumber(1)),
    new Option('--aggregate-days <days>', 'aggregates').argParser(wholeNumber(1)),
    new Option(
      '--disk-share <percent>',
      'of what the server may take of the disk; the oldest hours go first. "none" for no limit of its own',
    ).argParser((text) => (text === 'none' ? text : positiveNumber(text))),
  ],
  ask: (asked) => {
    const { rawDays, aggregateDays, diskShare } = asked.flags
    const diskSharePercent = diskShare === 'none' ? null : diskShare
    const given = { rawDays, aggregateDays, diskSharePercent }
    return change(asked, 'retention', given, Object.keys(given))
  },
  show: gridText,
}

type UsageAnswer = Static<typeof schemas.gridUsage>

const usage: ApiCommand<UsageAnswer> = {
  usage: 'usage <grid>',
  about: 'show what a Grid takes of the disk, and since when telemetry is kept',
  ask: async ({ client, args: [named] }) => client.get(`${pathOf(await chooseGrid(client, named))}/usage`),
  show: (answer) =>
    formatFields([
      ['Takes', bytesText(answer.bytes)],
      ['May take', answer.budgetBytes === null ? 'no limit of its own' : bytesText(answer.budgetBytes)],
      ['All Grids may take', bytesText(answer.serverBudgetBytes)],
      ['Raw telemetry since', answer.rawSince],
      ['Aggregates since', answer.aggregatesSince],
    ]),
}

interface LimitFlags {
  requestsPerMinuteCaller?: number | 'default'
  requestsPerMinuteGrid?: number | 'default'
  recordsPerSecond?: number | 'unlimited'
}

const limits: ApiCommand<GridAnswer, LimitFlags> = {
  usage: 'limits <grid>',
  about: 'change how much may be asked and sent',
  options: [
    new Option('--requests-per-minute-caller <n>', 'of one caller; "default" for that of the server').argParser(
      wholeNumberOr('default', 1),
    ),
    new Option('--requests-per-minute-grid <n>', 'of all callers; "default" for that of the server').argParser(
      wholeNumberOr('default', 1),
    ),
    new Option('--records-per-second <n>', 'that may be sent; "unlimited" for no limit').argParser(
      wholeNumberOr('unlimited', 1),
    ),
  ],
  ask: (asked) => {
    const { requestsPerMinuteCaller, requestsPerMinuteGrid, recordsPerSecond } = asked.flags
    const given = Object.entries({ requestsPerMinuteCaller, requestsPerMinuteGrid, recordsPerSecond })
    const limits = given.map(([name, value]) => [name, typeof value === 'string' ? null : value] as const)
    return change(
      asked,
      'limits',
      Object.fromEntries(limits),
      given.map(([name]) => name),
    )
  },
  show: gridText,
}

const apdex: ApiCommand<GridAnswer, { defaultMs?: number; service?: Record<string, string> }> = {
  usage: 'apdex <grid>',
  about: 'change the threshold T of the Apdex formula',
  options: [
    new Option('--default-ms <ms>', 'of services without one of their own').argParser(wholeNumber(1)),
    new Option('--service <name=ms>', 'of one service, "name=default" to take it back; may be repeated').argParser(
      keyValue,
    ),
  ],
  ask: (asked) => {
    const { defaultMs, service } = asked.flags
    const services = service && ((grid: GridAnswer) => changedServices(grid.apdex.services, service))
    return change(asked, 'apdex', { defaultMs, services }, ['defaultMs', 'services'])
  },
  show: gridText,
}

function changedServices(current: Record<string, number>, given: Record<string, string>): Record<string, number> {
  const services = new Map(Object.entries(current))
  for (const [name, text] of Object.entries(given)) {
    if (text === 'default') services.delete(name)
    else if (/^\d{1,9}$/.test(text)) services.set(name, Number(text))
    else throw new WrongUsage(`--service ${name}=${text}: a whole number of milliseconds or "default" is needed.`)
  }
  return Object.fromEntries(services)
}

type SettingName = 'subscription' | 'retention' | 'limits' | 'apdex'

/** The API takes a setting as a whole; what was not given stays as it is. */
async function change<Flags>(
  asked: Asked<Flags>,
  setting: SettingName,
  given: object,
  fields: string[],
): Promise<GridAnswer> {
  const chosen = new Map<string, unknown>(
    Object.entries(given).filter(([name, value]) => fields.includes(name) && value !== undefined),
  )
  if (chosen.size === 0) throw new WrongUsage(`Say what is to be changed: see \`faultline grids ${setting} --help\`.`)
  const grid = await currentGrid(asked)
  const changed = [...chosen].map(([name, value]) => [name, typeof value === 'function' ? value(grid) : value])
  return asked.client.put(`${pathOf(grid.gridSecondaryId)}/${setting}`, {
    ...grid[setting],
    ...Object.fromEntries(changed),
  })
}

async function currentGrid<Flags>({ client, args: [named] }: Asked<Flags>): Promise<GridAnswer> {
  return client.get(pathOf(await chooseGrid(client, named)))
}

function pathOf(gridId: string): string {
  return `/apm/grids/${encodeURIComponent(gridId)}`
}

function gridText(grid: GridAnswer): string {
  const { limits, apdex } = grid
  return formatFields([
    ['Grid', grid.gridSecondaryId],
    ['Name', grid.name],
    ['Your role', grid.role],
    ['Created', grid.createdAt],
    ['Plan', grid.subscription.plan],
    ['State', grid.subscription.state],
    ['Raw telemetry', `kept for ${grid.retention.rawDays} days`],
    ['Aggregates', `kept for ${grid.retention.aggregateDays} days`],
    ['Disk', shareText(grid.retention.diskSharePercent)],
    [
      'Requests',
      `${perMinute(limits.requestsPerMinuteCaller)} of one caller, ${perMinute(limits.requestsPerMinuteGrid)} of all`,
    ],
    ['Records', limits.recordsPerSecond === null ? 'unlimited' : `${limits.recordsPerSecond} a second`],
    ['Apdex T', `${apdex.defaultMs} ms`],
    ...Object.entries(apdex.services).map(([name, ms]) => [`Apdex T of ${name}`, `${ms} ms`] as const),
  ])
}

function shareText(percent: number | null): string {
  return percent === null ? 'no limit of its own' : `at most ${percent} % of what the server may take`
}

function perMinute(limit: number | null): string {
  return limit === null ? 'the default' : `${limit} a minute`
}
