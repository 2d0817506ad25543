import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/alerts.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import { wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

type AlertAnswer = Static<typeof schemas.alert>
type AlertPage = Static<typeof schemas.alertPage>

export function addAlertCommands(program: Command, shell: Shell): void {
  const alerts = program.command('alerts').description('what the alert rules of a Grid have found')
  addApiCommand(alerts, shell, list)
  addApiCommand(alerts, shell, show)
  addApiCommand(alerts, shell, acknowledge)
  addApiCommand(alerts, shell, history)
}

const ACTIVE_COLUMNS: Column<AlertAnswer>[] = [
  { title: 'ALERT', value: (alert) => alert.id },
  { title: 'SEVERITY', value: (alert) => alert.severity },
  { title: 'STATUS', value: (alert) => alert.status },
  { title: 'SERVICE', value: (alert) => alert.serviceName },
  { title: 'RULE', value: (alert) => alert.ruleName },
  { title: 'CONDITION', value: (alert) => alert.condition },
  { title: 'VALUE', value: (alert) => alert.currentValue, align: 'right' },
  { title: 'TRIGGERED', value: (alert) => alert.triggeredAt },
]

const COLUMNS: Column<AlertAnswer>[] = [
  ...ACTIVE_COLUMNS,
  { title: 'ACKNOWLEDGED BY', value: (alert) => alert.acknowledgedBy || null },
  { title: 'RESOLVED', value: (alert) => alert.resolvedAt },
  { title: 'BECAUSE', value: (alert) => alert.resolution },
]

interface PageFlags {
  service?: string
  page?: number
  pageSize?: number
}

const PAGE_OPTIONS = () => [
  new Option('--service <name>', 'exactly this service'),
  new Option('--page <n>', 'by default 1').argParser(wholeNumber(1)),
  new Option('--page-size <n>', 'by default 20').argParser(wholeNumber(1, 100)),
]

const list: ApiCommand<AlertPage, PageFlags> = {
  usage: 'list',
  about: 'list the alerts that fire, newest first',
  onGrid: true,
  options: PAGE_OPTIONS(),
  ask: (asked) => pageOf(asked, 'active'),
  show: (page) => pageText(page, ACTIVE_COLUMNS, 'Nothing fires.'),
}

const history: ApiCommand<AlertPage, PageFlags> = {
  usage: 'history',
  about: 'list all alerts that ever fired, newest first',
  onGrid: true,
  options: PAGE_OPTIONS(),
  ask: (asked) => pageOf(asked),
  show: (page) => pageText(page, COLUMNS, 'Nothing has fired yet.'),
}

const show: ApiCommand<AlertAnswer> = {
  usage: 'show <alertId>',
  about: 'show an alert, by its id',
  onGrid: true,
  ask: async ({ client, gridPath, args: [alertId = ''] }) =>
    client.get(`/apm/grids/${await gridPath()}/alerts/${encodeURIComponent(alertId)}`),
  show: (alert) => formatTable(COLUMNS, [alert]),
}

const acknowledge: ApiCommand<AlertAnswer, { note?: string }> = {
  usage: 'ack <alertId>',
  about: 'say that somebody takes care of an alert',
  onGrid: true,
  options: [new Option('--note <text>', 'what to tell those who look at it next')],
  ask: async ({ client, gridPath, args: [alertId = ''], flags: { note } }) =>
    client.post(
      `/apm/grids/${await gridPath()}/alerts/${encodeURIComponent(alertId)}/acknowledge`,
      note === undefined ? {} : { note },
    ),
  show: (alert) => formatTable(COLUMNS, [alert]),
}

async function pageOf({ client, gridPath, flags }: Asked<PageFlags>, status?: 'active'): Promise<AlertPage> {
  const { service, page, pageSize } = flags
  return client.get(`/apm/grids/${await gridPath()}/alerts`, { status, serviceName: service, page, pageSize })
}

function pageText({ items, totalCount, page, pageSize }: AlertPage, columns: Column<AlertAnswer>[], none: string) {
  if (totalCount === 0) return none
  const counted = totalCount === 1 ? '1 alert' : `${totalCount} alerts`
  const last = Math.ceil(totalCount / pageSize)
  if (items.length === 0) return `${counted}; the last page is ${last}.`
  return `${formatTable(columns, items)}\n\n${counted}, page ${page} of ${last}.`
}
