import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/management.ts'
import type { ApiClient } from '../api-client.ts'
import { type ApiCommand, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { CommandFailed } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { newPassword } from './new-password.ts'

type UserAnswer = Static<typeof schemas.user>

export function addUserCommands(program: Command, shell: Shell): void {
  const users = program.command('users').description('people who sign in with a password')
  addApiCommand(users, shell, list)
  addApiCommand(users, shell, create)
  addApiCommand(users, shell, remove)
}

const COLUMNS: Column<UserAnswer>[] = [
  { title: 'USER', value: (user) => user.id },
  { title: 'E-MAIL', value: (user) => user.email },
  { title: 'NAME', value: (user) => user.name },
  { title: 'ADMINISTRATOR', value: (user) => (user.admin ? 'yes' : 'no') },
  { title: 'CREATED', value: (user) => user.createdAt },
]

const list: ApiCommand<Listed<UserAnswer>> = {
  usage: 'list',
  about: 'list users',
  administers: true,
  ask: listUsers,
  show: ({ items }) => formatTable(COLUMNS, items),
}

interface CreateFlags {
  name?: string
  admin?: true
  passwordStdin?: true
}

const create: ApiCommand<UserAnswer, CreateFlags> = {
  usage: 'create <email>',
  about: 'create a user; the password is asked for',
  administers: true,
  options: [
    new Option('--name <text>', 'what people call the user; by default the address'),
    new Option('--admin', 'a platform administrator'),
    new Option('--password-stdin', 'read the password from the first line of standard input'),
  ],
  ask: async ({ client, args: [email], flags: { name = email, admin = false, passwordStdin = false }, shell }) =>
    client.post('/apm/users', { email, name, admin, password: await newPassword(shell, passwordStdin) }),
  show: (user) => formatTable(COLUMNS, [user]),
}

const remove: ApiCommand<void> = {
  usage: 'remove <user>',
  about: 'remove a user, by id or e-mail address',
  administers: true,
  ask: async ({ client, args: [named = ''] }) =>
    client.remove(`/apm/users/${encodeURIComponent(await userIdOf(client, named))}`),
  show: () => 'Removed.',
}

async function userIdOf(client: ApiClient, named: string): Promise<string> {
  if (!named.includes('@')) return named
  const { items } = await listUsers({ client })
  const user = items.find(({ email }) => email.toLowerCase() === named.toLowerCase())
  if (user === undefined) throw new CommandFailed(`There is no user with the address ${named}.`)
  return user.id
}

function listUsers({ client }: { client: ApiClient }): Promise<Listed<UserAnswer>> {
  return client.get('/apm/users')
}
