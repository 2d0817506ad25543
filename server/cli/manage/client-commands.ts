import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/management.ts'
import { type ApiCommand, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

type ClientAnswer = Static<typeof schemas.client>
type ClientWithSecret = Static<typeof schemas.clientWithSecret>

export function addClientCommands(program: Command, shell: Shell): void {
  const clients = program.command('clients').description('machines that sign in by OAuth client credentials')
  addApiCommand(clients, shell, list)
  addApiCommand(clients, shell, create)
  addApiCommand(clients, shell, remove)
}

const COLUMNS: Column<ClientAnswer>[] = [
  { title: 'CLIENT', value: (client) => client.id },
  { title: 'NAME', value: (client) => client.name },
  { title: 'ADMINISTRATOR', value: (client) => (client.admin ? 'yes' : 'no') },
  { title: 'CREATED', value: (client) => client.createdAt },
]

const list: ApiCommand<Listed<ClientAnswer>> = {
  usage: 'list',
  about: 'list clients',
  administers: true,
  ask: ({ client }) => client.get('/apm/clients'),
  show: ({ items }) => formatTable(COLUMNS, items),
}

const create: ApiCommand<ClientWithSecret, { admin?: true }> = {
  usage: 'create <name>',
  about: 'create a client, and show its secret this once',
  administers: true,
  options: [new Option('--admin', 'a platform administrator')],
  ask: ({ client, args: [name], flags: { admin = false } }) => client.post('/apm/clients', { name, admin }),
  show: (made) => `${formatTable(COLUMNS, [made])}\n\nThe secret, which is not shown again:\n\n  ${made.secret}\n`,
}

const remove: ApiCommand<void> = {
  usage: 'remove <clientId>',
  about: 'remove a client',
  administers: true,
  ask: ({ client, args: [clientId = ''] }) => client.remove(`/apm/clients/${encodeURIComponent(clientId)}`),
  show: () => 'Removed.',
}
