import Type, { type TSchema } from 'typebox'
import { fields } from './values.ts'

/** What a request for a page says. */
export const paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
}

interface Described {
  /** In which order they are. */
  items: string
  totalCount?: string
}

/** Past the last page: no items, the same `totalCount`. */
export function pageOf<S extends TSchema>(item: S, { items, totalCount }: Described) {
  return fields({
    items: Type.Array(item, { description: items }),
    totalCount: Type.Integer(totalCount === undefined ? {} : { description: totalCount }),
    page: Type.Integer(),
    pageSize: Type.Integer(),
  })
}
