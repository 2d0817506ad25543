import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/notifications.ts'
import { type ApiCommand, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { durationMs } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

type SilenceAnswer = Static<typeof schemas.silence>

export function addSilenceCommands(program: Command, shell: Shell): void {
  const silences = program.command('silences').description('alerts of a Grid that nobody is told of for a while')
  addApiCommand(silences, shell, list)
  addApiCommand(silences, shell, add)
  addApiCommand(silences, shell, end)
}

const COLUMNS: Column<SilenceAnswer>[] = [
  { title: 'SILENCE', value: (silence) => silence.id },
  { title: 'RULE', value: (silence) => silence.ruleId ?? 'every' },
  { title: 'SERVICE', value: (silence) => silence.serviceName ?? 'every' },
  { title: 'BEGINS', value: (silence) => silence.startsAt },
  { title: 'ENDS', value: (silence) => silence.endsAt },
  { title: 'BY', value: (silence) => silence.createdBy },
  { title: 'REASON', value: (silence) => silence.reason || null },
]

const list: ApiCommand<Listed<SilenceAnswer>> = {
  usage: 'list',
  about: 'list silences that last or are to come',
  onGrid: true,
  ask: async ({ client, gridPath }) => client.get(`/apm/grids/${await gridPath()}/silences`),
  show: ({ items }) => formatTable(COLUMNS, items),
}

interface AddFlags {
  for: number
  rule?: string
  service?: string
  reason?: string
}

const add: ApiCommand<SilenceAnswer, AddFlags> = {
  usage: 'add',
  about: 'tell nobody of alerts for a while: silences add --for 2h --service cart',
  onGrid: true,
  options: [
    new Option('--for <duration>', 'such as 30m, 2h or 1d').argParser(durationMs).makeOptionMandatory(),
    new Option('--rule <id>', 'alerts of this rule; by default of any'),
    new Option('--service <name>', 'alerts of this service; by default of any'),
    new Option('--reason <text>', 'for those who look at it'),
  ],
  ask: async ({ client, gridPath, flags }) =>
    client.post(`/apm/grids/${await gridPath()}/silences`, {
      ruleId: flags.rule ?? null,
      serviceName: flags.service ?? null,
      reason: flags.reason ?? '',
      endsAt: new Date(Date.now() + flags.for).toISOString(),
    }),
  show: (silence) => formatTable(COLUMNS, [silence]),
}

const end: ApiCommand<void> = {
  usage: 'end <silenceId>',
  about: 'end a silence now',
  onGrid: true,
  ask: async ({ client, gridPath, args: [silenceId = ''] }) =>
    client.remove(`/apm/grids/${await gridPath()}/silences/${encodeURIComponent(silenceId)}`),
  show: () => 'Ended.',
}
