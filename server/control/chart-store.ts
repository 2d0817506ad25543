import type { Chart, ChartSettings } from '../domain/chart.ts'
import type { Dashboard, DashboardSettings } from '../domain/dashboard.ts'

export interface Paging {
  offset: number
  limit: number
}

export interface Page<Item> {
  items: Item[]
  totalCount: number
}

/** What people keep on a Grid and change as a whole. */
interface Kept<Item, Settings> {
  /** Fails with `RecordRefused` where there are too many. */
  create(gridId: string, settings: Settings, nowMs: number): Promise<Item>
  find(gridId: string, id: string): Promise<Item | undefined>
  /** By title. */
  list(gridId: string, paging: Paging): Promise<Page<Item>>
  /** Undefined where there is no such thing. */
  update(gridId: string, id: string, settings: Settings, nowMs: number): Promise<Item | undefined>
  /** False where there is no such thing. */
  remove(gridId: string, id: string): Promise<boolean>
}

/** A chart that is removed is gone from the dashboards too. */
export interface ChartStore extends Kept<Chart, ChartSettings> {
  /** Those of these that exist, in no particular order. */
  findAll(gridId: string, ids: string[]): Promise<Chart[]>
}

/** Fails with `RecordRefused` where a tile names a chart that the Grid does not have. */
export interface DashboardStore extends Kept<Dashboard, DashboardSettings> {}
