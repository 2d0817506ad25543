/** A place on a grid of 12 columns; rows and columns count from 0. */
export interface Position {
  row: number
  col: number
  width: number
  height: number
}

export interface Tile {
  chartId: string
  position: Position
}

export interface DashboardSettings {
  title: string
  description: string
  tiles: Tile[]
}

export interface Dashboard extends DashboardSettings {
  id: string
  gridId: string
  createdAtMs: number
  updatedAtMs: number
}

export const DASHBOARD_COLUMNS = 12

export const DASHBOARD_LIMITS = {
  dashboardsPerGridMax: 100,
  titleCharsMax: 200,
  descriptionCharsMax: 2000,
  tilesMax: 100,
  rowMax: 10_000,
  heightMax: 100,
} as const

const PLACED = { width: 6, height: 4 }

/** A place for each tile that has none: below all that have one, two in a row. */
export function placed(tiles: { chartId: string; position?: Position | undefined }[]): Tile[] {
  const firstRow = Math.max(0, ...tiles.map(({ position }) => (position ? position.row + position.height : 0)))
  const perRow = DASHBOARD_COLUMNS / PLACED.width
  let count = 0
  return tiles.map(({ chartId, position }) => {
    if (position) return { chartId, position }
    const place = count++
    const row = firstRow + Math.floor(place / perRow) * PLACED.height
    return { chartId, position: { row, col: (place % perRow) * PLACED.width, ...PLACED } }
  })
}
