import type { Static } from 'typebox'
import type * as schemas from '../http/schemas/management.ts'
import type { ApiClient } from './api-client.ts'
import { CommandFailed, WrongUsage } from './failure.ts'
import { printable } from './printable.ts'

export type GridAnswer = Static<typeof schemas.grid>

export interface Listed<Item> {
  items: Item[]
  totalCount: number
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const NAMED_MAX = 10

/** The Grid that was named by id or by name, or else the only one there is. */
export async function chooseGrid(client: ApiClient, named: string | undefined): Promise<string> {
  if (named !== undefined && UUID.test(named)) return named.toLowerCase()
  const { items } = await client.get<Listed<GridAnswer>>('/apm/grids')
  const candidates = named === undefined ? items : items.filter(({ name }) => name === named)
  const [first, ...others] = candidates
  if (first === undefined) {
    throw new CommandFailed(named === undefined ? 'You have access to no Grid.' : `There is no Grid called ${named}.`)
  }
  if (others.length === 0) return first.gridSecondaryId
  const shown = candidates
    .slice(0, NAMED_MAX)
    .map(({ gridSecondaryId, name }) => `${gridSecondaryId} (${printable(name)})`)
  const more = candidates.length > NAMED_MAX ? ` and ${candidates.length - NAMED_MAX} more` : ''
  throw new WrongUsage(`There are several Grids, so name one with --grid: ${shown.join(', ')}${more}`)
}
