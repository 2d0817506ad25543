import type { ControlStore } from '../../../control/control-store.ts'
import { NS_PER_MS } from '../../../domain/time-window.ts'
import { READS } from '../../access.ts'
import { activeAlertAnswer } from '../../alert-answers.ts'
import type { Routes } from '../../endpoint.ts'
import * as schema from '../../schemas/diagnostics/alerts.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

export function registerActiveAlerts({ onGrid }: Routes, { alerts }: ControlStore): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/alerts`,
      summary: 'Get the active alerts',
      description:
        "What fires by the Grid's alert rules, judged every 15 seconds on stored telemetry: the present only, so that telemetry of the past sets off nothing. With `at`: the alerts as they were recorded then, with the values that they had (to the minute, for an alert older than a day to the hour), never judged afresh. `window` changes nothing here: each rule has its own.",
      query: momentQuery,
      response: schema.activeAlerts,
    },
    async ({ grid, query, nowMs }) => {
      const atMs = Number(momentOf(query, nowMs).atNs / NS_PER_MS)
      return { alerts: (await alerts.activeAt(grid.id, atMs)).map(activeAlertAnswer) }
    },
  )
}
