import type { Static } from 'typebox'
import type { ControlStore } from '../../control/control-store.ts'
import type { Deletion } from '../../control/deletion-store.ts'
import { DELETABLE_SIGNALS } from '../../domain/record-match.ts'
import { MANAGES_GRID } from '../access.ts'
import { callerName } from '../caller-name.ts'
import type { Routes } from '../endpoint.ts'
import { pagingOf } from '../paging.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/deletions.ts'
import { paging } from '../schemas/paging.ts'

const ALL = '/apm/grids/{gridSecondaryId}/deletions'
const PRIVACY = { tag: 'Privacy', access: MANAGES_GRID } as const

const HOW_RECORDS_ARE_DELETED =
  'Deletes spans that have the value among their own attributes or those of their events and links, log records and metric points that have it among theirs, and all of these whose resource has it; also where a privacy rule has hashed it. A value in a list counts, one inside of a map does not. Other spans of the same trace stay, and figures of Diagnostics and charts may still count what was deleted. It covers what was acknowledged before, goes on in the background, also over restarts of the server, and can be asked for. Backups that were made before are not changed. The value is shown to nobody and forgotten when the deletion is finished; no file of the server has it then.'

export function registerDeletions({ onGrid }: Routes, control: ControlStore): void {
  const { deletions } = control

  onGrid(
    {
      ...PRIVACY,
      method: 'POST',
      path: ALL,
      summary: 'Delete records that carry a value',
      description: HOW_RECORDS_ARE_DELETED,
      body: schemas.newDeletion,
      response: schemas.deletion,
      created: true,
    },
    async ({ grid, body: { attribute, value, signals = [...DELETABLE_SIGNALS] }, caller, nowMs }) => {
      const requestedBy = await callerName(control, caller)
      return deletionAnswer(await deletions.create(grid.id, { attribute, value, signals, requestedBy }, nowMs))
    },
  )

  onGrid(
    {
      ...PRIVACY,
      method: 'GET',
      path: ALL,
      summary: 'List deletions',
      query: paging,
      response: schemas.deletionPage,
    },
    async ({ grid, query }) => {
      const { page, pageSize, portion } = pagingOf(query)
      const { items, totalCount } = await deletions.list(grid.id, portion)
      return { items: items.map(deletionAnswer), totalCount, page, pageSize }
    },
  )

  onGrid(
    {
      ...PRIVACY,
      method: 'GET',
      path: `${ALL}/{deletionId}`,
      summary: 'Get a deletion',
      params: { deletionId: schemas.deletionId },
      response: schemas.deletion,
      problems: ['unknown-deletion'],
    },
    async ({ grid, params: { deletionId } }) => {
      const deletion = await deletions.find(grid.id, deletionId)
      if (!deletion) throw new Problem('unknown-deletion', 'This Grid has no such deletion.')
      return deletionAnswer(deletion)
    },
  )
}

function deletionAnswer(deletion: Deletion): Static<typeof schemas.deletion> {
  const { gridId, createdAtMs, startedAtMs, finishedAtMs, spans, logRecords, metricPoints, ...rest } = deletion
  return {
    ...rest,
    deleted: { spans, logRecords, metricPoints },
    createdAt: new Date(createdAtMs).toISOString(),
    startedAt: startedAtMs === null ? null : new Date(startedAtMs).toISOString(),
    finishedAt: finishedAtMs === null ? null : new Date(finishedAtMs).toISOString(),
  }
}
