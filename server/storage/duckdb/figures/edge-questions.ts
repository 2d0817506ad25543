import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Edge, EdgeSeries } from '../../diagnostics-reader.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import type { Scope } from '../scope/scope.ts'
import { CallTable } from './call-table.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'

/** The scope must reach a day back from the window's end. */
export async function edges(scope: Scope, window: TimeWindow): Promise<Edge[]> {
  const { table, all } = await callTable(scope, window, false)
  return table.edges(all)
}

/** The same from figures that have all of the window. */
export function edgesInMemory(figures: OpenFigures, { all }: KnownServices, window: TimeWindow): Edge[] {
  const table = new CallTable(window, false)
  table.addOpen(figures)
  return table.edges(all)
}

/** The scope must reach a day back from the window's end. */
export async function edgeSeries(scope: Scope, window: TimeWindow, limit: number): Promise<EdgeSeries[]> {
  const { table, all } = await callTable(scope, window, true)
  return table.series(all, limit)
}

/** The same from figures that have all of the window. */
export function edgeSeriesInMemory(
  figures: OpenFigures,
  { all }: KnownServices,
  window: TimeWindow,
  limit: number,
): EdgeSeries[] {
  const table = new CallTable(window, true)
  table.addOpen(figures)
  return table.series(all, limit)
}

async function callTable(
  scope: Scope,
  window: TimeWindow,
  byMinute: boolean,
): Promise<Pick<KnownServices, 'all'> & { table: CallTable }> {
  const figures = await scope.openFigures()
  const table = new CallTable(window, byMinute)
  table.addOpen(figures)
  const { all } = await knownServices(scope, dayBefore(window))
  await table.addSealed(scope)
  return { table, all }
}
