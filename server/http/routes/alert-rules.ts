import type { ControlStore } from '../../control/control-store.ts'
import type { ChannelStore } from '../../control/notification-store.ts'
import { RecordRefused } from '../../control/record-refused.ts'
import { RULE_LIMITS } from '../../domain/alert-rule.ts'
import { EDITS_GRID, SEES_GRID } from '../access.ts'
import { ruleAnswer, ruleSettingsOf } from '../alert-answers.ts'
import type { Routes } from '../endpoint.ts'
import { listAnswer } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/alerts.ts'
import { listOf } from '../schemas/management.ts'

const ALL = '/apm/grids/{gridSecondaryId}/alert-rules'
const READING = { tag: 'Alerts', access: SEES_GRID } as const
const EDITING = { tag: 'Alerts', access: EDITS_GRID } as const
const OF_RULE = { path: `${ALL}/{ruleId}`, params: { ruleId: schemas.ruleId } }

const HOW_RULES_ARE_JUDGED =
  'Rules are judged every 15 seconds. How long a condition holds is read from stored telemetry by the minute, so that nothing is delayed or forgotten by a restart. That nothing came in means nothing while the server was down, nor of telemetry that was more than 10 minutes old when it came: a past that is imported sets off nothing. `silence` counts from the end of the minute that had the last request, and ends after a day.'

export function registerAlertRules({ onGrid }: Routes, { alerts: { rules }, channels }: ControlStore): void {
  onGrid(
    { ...READING, method: 'GET', path: ALL, summary: 'List alert rules', response: listOf(schemas.rule) },
    async ({ grid }) => listAnswer((await rules.list(grid.id)).map(ruleAnswer)),
  )

  onGrid(
    {
      ...READING,
      ...OF_RULE,
      method: 'GET',
      summary: 'Get an alert rule',
      response: schemas.rule,
      problems: ['unknown-rule'],
    },
    async ({ grid, params: { ruleId } }) => ruleAnswer((await rules.find(grid.id, ruleId)) ?? unknownRule()),
  )

  onGrid(
    {
      ...EDITING,
      method: 'POST',
      path: ALL,
      summary: 'Create an alert rule',
      description: `A Grid may have ${RULE_LIMITS.rulesPerGridMax} of them. ${HOW_RULES_ARE_JUDGED}`,
      body: schemas.newRule,
      response: schemas.rule,
      created: true,
      problems: ['already-exists'],
    },
    async ({ grid, body }) => {
      await refuseUnknownChannels(channels, grid.id, body.channels)
      return ruleAnswer(await rules.create(grid.id, ruleSettingsOf(body)))
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_RULE,
      method: 'PUT',
      summary: 'Change an alert rule',
      description:
        'Takes the rule as a whole: what is left out gets its default. Where the metric, comparator, threshold or service changes, or the rule is disabled, its alerts are resolved; what still holds fires anew.',
      body: schemas.newRule,
      response: schemas.rule,
      problems: ['unknown-rule', 'already-exists'],
    },
    async ({ grid, params: { ruleId }, body, nowMs }) => {
      await refuseUnknownChannels(channels, grid.id, body.channels)
      return ruleAnswer((await rules.update(grid.id, ruleId, ruleSettingsOf(body), nowMs)) ?? unknownRule())
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_RULE,
      method: 'DELETE',
      summary: 'Remove an alert rule',
      description: 'Its alerts are resolved, and stay in the history.',
      response: null,
      problems: ['unknown-rule'],
    },
    async ({ grid, params: { ruleId }, nowMs }) => {
      if (!(await rules.remove(grid.id, ruleId, nowMs))) unknownRule()
    },
  )
}

async function refuseUnknownChannels(channels: ChannelStore, gridId: string, named: string[] = []): Promise<void> {
  const known = named.length === 0 ? [] : await channels.list(gridId)
  const unknown = named.find((channelId) => !known.some(({ id }) => id === channelId))
  if (unknown !== undefined) throw new RecordRefused(`channels: this Grid has no notification channel ${unknown}.`)
}

function unknownRule(): never {
  throw new Problem('unknown-rule', 'This Grid has no such alert rule.')
}
