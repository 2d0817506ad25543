import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/timeline.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { dayOptions, type MomentFlags } from './moment-options.ts'

type Timeline = Static<typeof schemas.timeline>

const COLUMNS: Column<Timeline['events'][number]>[] = [
  { title: 'TIME', value: (event) => event.timestamp },
  { title: 'SEVERITY', value: (event) => event.severity },
  { title: 'TYPE', value: (event) => event.type },
  { title: 'SERVICE', value: (event) => event.serviceName || null },
  { title: 'WHAT HAPPENED', value: (event) => event.description },
]

export const timeline: ApiCommand<Timeline, MomentFlags> = {
  usage: 'timeline',
  about: 'everything notable that happened, oldest first',
  onGrid: true,
  options: dayOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/timeline`, { at, window }),
  show: ({ events }) => (events.length === 0 ? 'Nothing notable happened.' : formatTable(COLUMNS, events)),
}
