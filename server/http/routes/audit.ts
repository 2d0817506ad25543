import type { ControlStore } from '../../control/control-store.ts'
import { ADMINISTERS, MANAGES_GRID } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { auditAnswer } from '../management-answers.ts'
import { pagingOf } from '../paging.ts'
import { auditPage } from '../schemas/audit.ts'
import { paging } from '../schemas/paging.ts'

const LISTING = { tag: 'Audit', method: 'GET', query: paging, response: auditPage } as const
const WHAT_IS_KEPT = 'Every change that was made over the API, and who made it. Kept for 400 days.'

export function registerAudit({ onGrid, onPlatform }: Routes, { audit }: ControlStore): void {
  onGrid(
    {
      ...LISTING,
      path: '/apm/grids/{gridSecondaryId}/audit',
      summary: 'List who changed what on a Grid',
      description: WHAT_IS_KEPT,
      access: MANAGES_GRID,
    },
    ({ grid, query }) => pageOf(query, grid.id),
  )

  onPlatform(
    {
      ...LISTING,
      path: '/apm/audit',
      summary: 'List who changed what anywhere',
      description: WHAT_IS_KEPT,
      access: ADMINISTERS,
    },
    ({ query }) => pageOf(query),
  )

  async function pageOf(asked: Parameters<typeof pagingOf>[0], gridId?: string) {
    const { page, pageSize, portion } = pagingOf(asked)
    const { items, totalCount } = await audit.list({ ...portion, ...(gridId !== undefined && { gridId }) })
    return { items: items.map(auditAnswer), totalCount, page, pageSize }
  }
}
