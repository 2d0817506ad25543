import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/audit.ts'
import { type ApiCommand, addApiCommand } from '../api-command.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

type Page = Static<typeof schemas.auditPage>

export function addAuditCommands(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('who changed what')
  addApiCommand(audit, shell, list)
  addApiCommand(audit, shell, all)
}

const COLUMNS: Column<Page['items'][number]>[] = [
  { title: 'WHEN', value: ({ at }) => at },
  { title: 'WHO', value: ({ caller }) => caller },
  { title: 'WHAT', value: ({ action }) => action },
  { title: 'OF', value: ({ target }) => Object.values(target).join(' ') },
]

const HOW_MANY = new Option('--page <n>', 'by 20, the newest first').default('1')

const list: ApiCommand<Page, { page: string }> = {
  usage: 'list',
  about: 'list the changes of a Grid',
  onGrid: true,
  options: [HOW_MANY],
  ask: async ({ client, gridPath, flags: { page } }) =>
    client.get(`/apm/grids/${await gridPath()}/audit?page=${encodeURIComponent(page)}`),
  show: ({ items }) => formatTable(COLUMNS, items),
}

const all: ApiCommand<Page, { page: string }> = {
  usage: 'all',
  about: 'list the changes of all Grids and of the platform, for administrators',
  options: [HOW_MANY],
  ask: async ({ client, flags: { page } }) => client.get(`/apm/audit?page=${encodeURIComponent(page)}`),
  show: ({ items }) => formatTable(COLUMNS, items),
}
