import type { Grid } from './control-store.ts'

/** How many bytes a Grid may take, where the server may take so many; null where the Grid has no limit of its own. */
export function diskBudgetOf({ diskSharePercent }: Pick<Grid, 'diskSharePercent'>, serverBytes: number): number | null {
  return diskSharePercent === null ? null : Math.floor((serverBytes * diskSharePercent) / 100)
}
