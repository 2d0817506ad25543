import type { ControlStore } from '../../control/control-store.ts'
import { CHANNEL_LIMITS } from '../../domain/notification-channel.ts'
import { NS_PER_MS } from '../../domain/time-window.ts'
import { EDITS_GRID, SEES_GRID } from '../access.ts'
import { callerName } from '../caller-name.ts'
import type { Routes } from '../endpoint.ts'
import { listAnswer } from '../management-answers.ts'
import { silenceAnswer } from '../notification-answers.ts'
import { Problem } from '../problem.ts'
import { listOf } from '../schemas/management.ts'
import * as schemas from '../schemas/notifications.ts'
import { datetimeOf } from '../time-range.ts'

const ALL = '/apm/grids/{gridSecondaryId}/silences'
const MS_PER_DAY = 86_400_000

export function registerSilences({ onGrid }: Routes, control: ControlStore): void {
  const { silences } = control

  onGrid(
    {
      tag: 'Notifications',
      access: SEES_GRID,
      method: 'GET',
      path: ALL,
      summary: 'List silences',
      description: 'Those that last or are to come, the one that ends next first.',
      response: listOf(schemas.silence),
    },
    async ({ grid, nowMs }) => listAnswer((await silences.list(grid.id, nowMs)).map(silenceAnswer)),
  )

  onGrid(
    {
      tag: 'Notifications',
      access: EDITS_GRID,
      method: 'POST',
      path: ALL,
      summary: 'Create a silence',
      description: `Until it ends, nothing is sent of the alerts that it matches: those of a rule, of a service, of both together, or all. They fire and are listed all the same. When it ends, those are told that still fire, unless somebody has acknowledged them, and the end of those that had been told before. A Grid may have ${CHANNEL_LIMITS.silencesPerGridMax} of them at once.`,
      body: schemas.newSilence,
      response: schemas.silence,
      created: true,
    },
    async ({ grid, body, caller, nowMs }) => {
      const { ruleId = null, serviceName = null, reason = '' } = body
      const startsAtMs = body.startsAt === undefined ? nowMs : msOf('startsAt', body.startsAt)
      const endsAtMs = msOf('endsAt', body.endsAt)
      if (endsAtMs <= Math.max(startsAtMs, nowMs))
        throw new Problem('invalid-body', 'endsAt must be in the future, and after startsAt.')
      if (endsAtMs > nowMs + CHANNEL_LIMITS.silenceDaysMax * MS_PER_DAY)
        throw new Problem('invalid-body', `endsAt must be at most ${CHANNEL_LIMITS.silenceDaysMax} days ahead.`)
      const createdBy = await callerName(control, caller)
      const silence = { ruleId, serviceName, reason, createdBy, startsAtMs, endsAtMs }
      return silenceAnswer(await silences.create(grid.id, silence, nowMs))
    },
  )

  onGrid(
    {
      tag: 'Notifications',
      access: EDITS_GRID,
      method: 'DELETE',
      path: `${ALL}/{silenceId}`,
      summary: 'End a silence',
      params: { silenceId: schemas.silenceId },
      response: null,
      problems: ['unknown-silence'],
    },
    async ({ grid, params: { silenceId }, nowMs }) => {
      if (await silences.end(grid.id, silenceId, nowMs)) return
      throw new Problem('unknown-silence', 'This Grid has no such silence, or it has ended.')
    },
  )
}

function msOf(field: string, datetime: string): number {
  return Number(datetimeOf([field, datetime], 'invalid-body') / NS_PER_MS)
}
