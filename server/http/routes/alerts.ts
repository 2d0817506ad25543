import type { AlertFilter } from '../../control/alert-store.ts'
import type { ControlStore } from '../../control/control-store.ts'
import { ANSWERS_ALERTS, SEES_GRID } from '../access.ts'
import { alertAnswer } from '../alert-answers.ts'
import { callerName } from '../caller-name.ts'
import type { Routes } from '../endpoint.ts'
import { pagingOf } from '../paging.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/alerts.ts'

const ALL = '/apm/grids/{gridSecondaryId}/alerts'
const READING = { tag: 'Alerts', access: SEES_GRID } as const
const OF_ALERT = { params: { alertId: schemas.alertId } }

export function registerAlerts({ onGrid }: Routes, control: ControlStore): void {
  const { alerts } = control

  onGrid(
    {
      ...READING,
      method: 'GET',
      path: ALL,
      summary: 'List alerts and their history',
      description:
        "Resolved alerts are kept as long as the Grid's aggregates, and the last 10,000 of them at most. Past the last page: no items, the same `totalCount`.",
      query: schemas.alertsQuery,
      response: schemas.alertPage,
    },
    async ({ grid, query: { status, serviceName, ruleId, ...asked } }) => {
      const { page, pageSize, portion } = pagingOf(asked)
      const filter: AlertFilter = {
        ...(status !== undefined && { status }),
        ...(serviceName !== undefined && { serviceName }),
        ...(ruleId !== undefined && { ruleId }),
        ...portion,
      }
      const { items, totalCount } = await alerts.list(grid.id, filter)
      return { items: items.map(alertAnswer), totalCount, page, pageSize }
    },
  )

  onGrid(
    {
      ...READING,
      ...OF_ALERT,
      method: 'GET',
      path: `${ALL}/{alertId}`,
      summary: 'Get an alert',
      response: schemas.alert,
      problems: ['unknown-alert'],
    },
    async ({ grid, params: { alertId } }) => alertAnswer((await alerts.find(grid.id, alertId)) ?? unknownAlert()),
  )

  onGrid(
    {
      ...OF_ALERT,
      tag: 'Alerts',
      access: ANSWERS_ALERTS,
      method: 'POST',
      path: `${ALL}/{alertId}/acknowledge`,
      summary: 'Acknowledge an alert',
      description: 'Says that somebody takes care of it. The first acknowledgement stays; the body may be left out.',
      body: schemas.acknowledgement,
      response: schemas.alert,
      problems: ['unknown-alert', 'alert-not-firing'],
    },
    async ({ grid, params: { alertId }, body: { note = '' }, caller, nowMs }) => {
      const by = await callerName(control, caller)
      const acknowledged = await alerts.acknowledge(grid.id, alertId, by, note, nowMs)
      if (acknowledged) return alertAnswer(acknowledged)
      const { status } = (await alerts.find(grid.id, alertId)) ?? unknownAlert()
      throw new Problem('alert-not-firing', `This alert is ${status}; only one that fires can be acknowledged.`)
    },
  )
}

function unknownAlert(): never {
  throw new Problem('unknown-alert', 'This Grid has no such alert.')
}
