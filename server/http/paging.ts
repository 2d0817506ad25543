import type { Paging } from '../control/chart-store.ts'

const PAGE_SIZE = 20

interface PageQuery {
  page?: number | undefined
  pageSize?: number | undefined
}

export function pagingOf({ page = 1, pageSize = PAGE_SIZE }: PageQuery): {
  page: number
  pageSize: number
  paging: Paging
} {
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER)
  return { page, pageSize, paging: { offset, limit: pageSize } }
}
