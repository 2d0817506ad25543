import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import { ROLES, type Role } from '../../control/control-store.ts'
import type * as schemas from '../../http/schemas/management.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

type MemberAnswer = Static<typeof schemas.member>

export function addMemberCommands(program: Command, shell: Shell): void {
  const members = program.command('members').description('people and machines with a role on a Grid')
  addApiCommand(members, shell, list)
  addApiCommand(members, shell, set)
  addApiCommand(members, shell, remove)
}

const COLUMNS: Column<MemberAnswer>[] = [
  { title: 'MEMBER', value: (member) => member.subject },
  { title: 'ROLE', value: (member) => member.role },
  { title: 'SINCE', value: (member) => member.createdAt },
]

const list: ApiCommand<Listed<MemberAnswer>> = {
  usage: 'list',
  about: 'list the members of a Grid',
  onGrid: true,
  ask: async ({ client, gridPath }) => client.get(`/apm/grids/${await gridPath()}/members`),
  show: ({ items }) => formatTable(COLUMNS, items),
}

const set: ApiCommand<MemberAnswer, { role: Role }> = {
  usage: 'set <subject>',
  about: "add a member or change its role: a user's or client's id, a subject, or an e-mail address to invite",
  onGrid: true,
  options: [new Option('--role <role>', 'what the member may do').choices(ROLES).makeOptionMandatory()],
  ask: async (asked) => asked.client.put(await pathOf(asked), { role: asked.flags.role }),
  show: (member) => formatTable(COLUMNS, [member]),
}

const remove: ApiCommand<void> = {
  usage: 'remove <subject>',
  about: 'remove a member',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked)),
  show: () => 'Removed.',
}

async function pathOf<Flags>({ gridPath, args: [subject = ''] }: Asked<Flags>): Promise<string> {
  return `/apm/grids/${await gridPath()}/members/${encodeURIComponent(subject)}`
}
