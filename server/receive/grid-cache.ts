import type { ControlStore, Grid } from '../control/control-store.ts'

const FRESH_MS = 1_000
const GRIDS_MAX = 10_000

export interface GridFinder {
  grids: Pick<ControlStore['grids'], 'find' | 'isRemoved'>
}

/** Looks Grids up with answers at most a second old; requests that ask at the same time share one look-up. */
export function createGridCache(control: GridFinder, clock: () => number): (id: string) => Promise<Grid | undefined> {
  const cached = new Map<string, { grid: Promise<Grid | undefined>; untilMs: number }>()

  return (id) => {
    const nowMs = clock()
    const known = cached.get(id)
    if (known !== undefined && nowMs < known.untilMs) return known.grid
    if (cached.size >= GRIDS_MAX) cached.clear()
    const grid = control.grids.find(id)
    const entry = { grid, untilMs: nowMs + FRESH_MS }
    cached.set(id, entry)
    grid.catch(() => {
      if (cached.get(id) === entry) cached.delete(id)
    })
    return grid
  }
}
