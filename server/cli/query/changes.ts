import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/changes.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { dayOptions, type MomentFlags } from './moment-options.ts'

type Changes = Static<typeof schemas.changes>
type Change = Changes['changes'][number]

const COLUMNS: Column<Change>[] = [
  { title: 'TIME', value: (change) => change.detectedAt },
  { title: 'SERVICE', value: (change) => change.serviceName },
  { title: 'TYPE', value: (change) => change.type },
  { title: 'WHAT CHANGED', value: whatChanged },
  { title: 'LATENCY', value: ({ performanceImpact }) => performanceImpact.latencyChange, align: 'right' },
  { title: 'ERRORS', value: ({ performanceImpact }) => performanceImpact.errorRateChange, align: 'right' },
  { title: 'IMPACT', value: ({ performanceImpact }) => performanceImpact.assessment },
]

export const changes: ApiCommand<Changes, MomentFlags> = {
  usage: 'changes',
  about: 'what was changed and what it did to performance, newest first',
  onGrid: true,
  options: dayOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/changes`, { at, window }),
  show: (answer) => (answer.changes.length === 0 ? 'Nothing has changed.' : formatTable(COLUMNS, answer.changes)),
}

function whatChanged({ description, previousVersion, currentVersion }: Change): string {
  return description ?? `${previousVersion || 'no version'} → ${currentVersion}`
}
