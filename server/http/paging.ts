const PAGE_SIZE = 20

interface AskedPage {
  page?: number | undefined
  pageSize?: number | undefined
}

/** The page that was asked for, and which rows are on it. */
export function pagingOf({ page = 1, pageSize = PAGE_SIZE }: AskedPage) {
  const portion = { offset: Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER), limit: pageSize }
  return { page, pageSize, portion }
}
