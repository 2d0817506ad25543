import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Static } from 'typebox'
import { DELETABLE_SIGNALS, type DeletableSignal } from '../../domain/record-match.ts'
import type * as schemas from '../../http/schemas/deletions.ts'
import { type ApiCommand, addApiCommand } from '../api-command.ts'
import { WrongUsage } from '../failure.ts'
import { wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { firstLine } from './first-line.ts'

type DeletionAnswer = Static<typeof schemas.deletion>

/** Below `privacy`. */
export function addDeletionCommands(privacy: Command, shell: Shell): void {
  addApiCommand(privacy, shell, remove)
  addApiCommand(privacy, shell, list)
  addApiCommand(privacy, shell, show)
}

const COLUMNS: Column<DeletionAnswer>[] = [
  { title: 'DELETION', value: (deletion) => deletion.id },
  { title: 'ATTRIBUTE', value: (deletion) => deletion.attribute },
  { title: 'STATE', value: (deletion) => deletion.state },
  { title: 'HOURS', value: ({ hoursDone, hoursTotal }) => `${hoursDone} of ${hoursTotal ?? '?'}`, align: 'right' },
  { title: 'SPANS', value: ({ deleted }) => deleted.spans, align: 'right' },
  { title: 'LOGS', value: ({ deleted }) => deleted.logRecords, align: 'right' },
  { title: 'POINTS', value: ({ deleted }) => deleted.metricPoints, align: 'right' },
  { title: 'BY', value: (deletion) => deletion.requestedBy },
  { title: 'ERROR', value: (deletion) => deletion.error || null },
]

interface DeleteFlags {
  value?: string
  valueStdin?: true
  signals?: DeletableSignal[]
}

const remove: ApiCommand<DeletionAnswer, DeleteFlags> = {
  usage: 'delete <attribute>',
  about: 'delete the records that carry a value: privacy delete user.email --value ann@example.com',
  onGrid: true,
  options: [
    new Option('--value <text>', 'the value').conflicts('valueStdin'),
    new Option('--value-stdin', 'read the value from the first line of standard input'),
    new Option('--signals <list>', `by default all: ${DELETABLE_SIGNALS.join(', ')}`).argParser(signalsOf),
  ],
  ask: async ({ client, gridPath, args: [attribute], flags: { value, valueStdin, signals }, shell }) => {
    if (value === undefined && !valueStdin) throw new WrongUsage('Give the value: --value or --value-stdin.')
    const given = value ?? (await firstLine(shell.stdin, 'value'))
    return client.post(`/apm/grids/${await gridPath()}/deletions`, {
      attribute,
      value: given,
      ...(signals && { signals }),
    })
  },
  show: (deletion) => `${formatTable(COLUMNS, [deletion])}\n\nSee \`faultline privacy deletions\` for how it goes on.`,
}

function signalsOf(text: string): DeletableSignal[] {
  return text.split(',').map((item) => {
    const signal = DELETABLE_SIGNALS.find((known) => known === item.trim())
    if (signal === undefined)
      throw new InvalidArgumentError(`One or more of ${DELETABLE_SIGNALS.join(', ')} are needed.`)
    return signal
  })
}

const list: ApiCommand<Static<typeof schemas.deletionPage>, { page?: number }> = {
  usage: 'deletions',
  about: 'list deletions and how far they are, newest first',
  onGrid: true,
  options: [new Option('--page <n>', 'by 20; by default 1').argParser(wholeNumber(1))],
  ask: async ({ client, gridPath, flags: { page } }) =>
    client.get(`/apm/grids/${await gridPath()}/deletions`, { page }),
  show: ({ items }) => formatTable(COLUMNS, items),
}

const show: ApiCommand<DeletionAnswer> = {
  usage: 'deletion <deletion>',
  about: 'show one deletion and how far it is',
  onGrid: true,
  ask: async ({ client, gridPath, args: [id = ''] }) =>
    client.get(`/apm/grids/${await gridPath()}/deletions/${encodeURIComponent(id)}`),
  show: (deletion) => formatTable(COLUMNS, [deletion]),
}
