import type { ControlStore } from '../../control/control-store.ts'
import { ADMINISTERS, MANAGES_GRID } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { auditAnswer } from '../management-answers.ts'
import { auditPage, auditQuery } from '../schemas/audit.ts'

const PAGE_SIZE = 20
const LISTING = { tag: 'Audit', method: 'GET', query: auditQuery, response: auditPage } as const
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
    ({ grid, query }) => page(query, grid.id),
  )

  onPlatform(
    {
      ...LISTING,
      path: '/apm/audit',
      summary: 'List who changed what anywhere',
      description: WHAT_IS_KEPT,
      access: ADMINISTERS,
    },
    ({ query }) => page(query),
  )

  async function page({ page = 1, pageSize = PAGE_SIZE }: { page?: number; pageSize?: number }, gridId?: string) {
    const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER)
    const asked = { offset, limit: pageSize, ...(gridId !== undefined && { gridId }) }
    const { items, totalCount } = await audit.list(asked)
    return { items: items.map(auditAnswer), totalCount, page, pageSize }
  }
}
