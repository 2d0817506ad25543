import type { ApiClient } from '../api-client.ts'

interface Page<Item> {
  items: Item[]
  totalCount: number
}

const PAGE_SIZE = 100

/** Everything that a list has, a page after the other. */
export async function allPages<Item>(client: ApiClient, path: string): Promise<Item[]> {
  const all: Item[] = []
  for (let page = 1; ; page++) {
    const { items, totalCount } = await client.get<Page<Item>>(path, { page, pageSize: PAGE_SIZE })
    all.push(...items)
    if (items.length === 0 || all.length >= totalCount) return all
  }
}
