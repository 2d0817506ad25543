import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/alerts.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type Alerts = Static<typeof schemas.activeAlerts>

const COLUMNS: Column<Alerts['alerts'][number]>[] = [
  { title: 'ALERT', value: (alert) => alert.id },
  { title: 'SEVERITY', value: (alert) => alert.severity },
  { title: 'STATUS', value: (alert) => alert.status },
  { title: 'SERVICE', value: (alert) => alert.serviceName },
  { title: 'RULE', value: (alert) => alert.ruleName },
  { title: 'CONDITION', value: (alert) => alert.condition },
  { title: 'VALUE', value: (alert) => alert.currentValue, align: 'right' },
  { title: 'TRIGGERED', value: (alert) => alert.triggeredAt },
]

export const alerts: ApiCommand<Alerts, MomentFlags> = {
  usage: 'alerts',
  about: 'what fires, critical first',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/alerts`, { at, window }),
  show: ({ alerts: active }) => (active.length === 0 ? 'Nothing fires.' : formatTable(COLUMNS, active)),
}
