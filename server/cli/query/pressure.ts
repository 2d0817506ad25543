import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/pressure.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type Pressure = Static<typeof schemas.pressure>

const COLUMNS: Column<Pressure['pressurePoints'][number]>[] = [
  { title: 'SEVERITY', value: (point) => point.severity },
  { title: 'SERVICE', value: (point) => point.serviceName },
  { title: 'TYPE', value: (point) => point.type },
  { title: 'RESOURCE', value: (point) => point.resource },
  { title: 'USED', value: (point) => (isBacklog(point) ? null : `${point.utilization} %`), align: 'right' },
  { title: 'LIMIT', value: (point) => point.capacity || null, align: 'right' },
  { title: 'WAITING', value: (point) => point.queueDepth, align: 'right' },
  { title: 'SINCE', value: (point) => point.detectedAt },
]

export const pressure: ApiCommand<Pressure, MomentFlags> = {
  usage: 'pressure',
  about: 'what is at its limit, worst first',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/pressure`, { at, window }),
  show: ({ pressurePoints }) =>
    pressurePoints.length === 0 ? 'Nothing is at its limit.' : formatTable(COLUMNS, pressurePoints),
}

/** Where no limit is known, a share of it says nothing. */
function isBacklog({ utilization, capacity }: Pressure['pressurePoints'][number]): boolean {
  return utilization === 0 && capacity === 0
}
