import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Static } from 'typebox'
import { ROLES, type Role, SCOPES, type Scope } from '../../control/control-store.ts'
import type * as schemas from '../../http/schemas/management.ts'
import { type ApiCommand, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { durationMs } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

export type KeyAnswer = Static<typeof schemas.key>
export type KeyWithSecret = Static<typeof schemas.keyWithSecret>

export function addKeyCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('API keys of a Grid')
  addApiCommand(keys, shell, list)
  addApiCommand(keys, shell, create)
  addApiCommand(keys, shell, rotate)
  addApiCommand(keys, shell, revoke)
}

const COLUMNS: Column<KeyAnswer>[] = [
  { title: 'KEY', value: (key) => key.id },
  { title: 'NAME', value: (key) => key.name },
  { title: 'BEGINS WITH', value: (key) => key.prefix },
  { title: 'ROLE', value: (key) => key.role },
  { title: 'SCOPES', value: (key) => key.scopes.join(',') },
  { title: 'CREATED', value: (key) => key.createdAt },
  { title: 'EXPIRES', value: (key) => key.expiresAt },
  { title: 'REVOKED', value: (key) => key.revokedAt },
]

const list: ApiCommand<Listed<KeyAnswer>> = {
  usage: 'list',
  about: 'list the keys of a Grid',
  onGrid: true,
  ask: async ({ client, gridPath }) => client.get(`/apm/grids/${await gridPath()}/keys`),
  show: ({ items }) => formatTable(COLUMNS, items),
}

interface CreateFlags {
  name: string
  role: Role
  scopes: Scope[]
  expiresIn?: number
}

const create: ApiCommand<KeyWithSecret, CreateFlags> = {
  usage: 'create',
  about: 'create a key, and show its secret this once',
  onGrid: true,
  options: [
    new Option('--name <text>', 'what it is for').makeOptionMandatory(),
    new Option('--scopes <list>', `what it may be used for: ${SCOPES.join(', ')}, separated by commas`)
      .argParser(scopesOf)
      .makeOptionMandatory(),
    new Option('--role <role>', 'what it may do on the Grid; manage needs Owner').choices(ROLES).default('Guest'),
    new Option('--expires-in <duration>', 'such as 12h or 30d; by default never').argParser(durationMs),
  ],
  ask: async ({ client, gridPath, flags: { name, role, scopes, expiresIn } }) => {
    const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn).toISOString()
    return client.post(`/apm/grids/${await gridPath()}/keys`, { name, role, scopes, expiresAt })
  },
  show: secretText,
}

const rotate: ApiCommand<KeyWithSecret> = {
  usage: 'rotate <keyId>',
  about: 'give a key a new secret; the old one stops working at once',
  onGrid: true,
  ask: async ({ client, gridPath, args: [keyId = ''] }) =>
    client.post(`/apm/grids/${await gridPath()}/keys/${encodeURIComponent(keyId)}/rotate`),
  show: secretText,
}

const revoke: ApiCommand<void> = {
  usage: 'revoke <keyId>',
  about: 'make a key stop working at once, for good',
  onGrid: true,
  ask: async ({ client, gridPath, args: [keyId = ''] }) =>
    client.remove(`/apm/grids/${await gridPath()}/keys/${encodeURIComponent(keyId)}`),
  show: () => 'Revoked.',
}

function secretText(key: KeyWithSecret): string {
  return `${formatTable(COLUMNS, [key])}\n\nThe key, which is not shown again:\n\n  ${key.secret}\n`
}

function scopesOf(text: string): Scope[] {
  const given = [...new Set(text.split(',').map((item) => item.trim()))]
  const known = SCOPES.filter((scope) => given.includes(scope))
  if (known.length === given.length) return known
  throw new InvalidArgumentError(`Allowed are ${SCOPES.join(', ')}, separated by commas.`)
}
