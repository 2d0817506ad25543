import { diskBudgetOf } from '../../control/disk-budget.ts'
import { isoOfNs } from '../../domain/time-window.ts'
import type { TelemetryStore } from '../../storage/telemetry-store.ts'
import { SEES_GRID } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import * as schemas from '../schemas/management.ts'

export function registerUsage(
  { onGrid }: Routes,
  telemetry: Pick<TelemetryStore, 'usage'>,
  serverBudgetBytes: number,
): void {
  onGrid(
    {
      tag: 'Grids',
      access: SEES_GRID,
      method: 'GET',
      path: '/apm/grids/{gridSecondaryId}/usage',
      summary: 'Get what a Grid takes of the disk',
      description:
        'Where a Grid takes more than its budget, or all Grids together more than the server may, the oldest hours that are over are removed within a minute or so: first spans, logs and metric points, then aggregates. Records of the last ten minutes may not be counted yet.',
      response: schemas.gridUsage,
    },
    async ({ grid }) => {
      const { bytes, recordsFromNs, sumsFromNs } = await telemetry.usage(grid.id)
      return {
        bytes,
        budgetBytes: diskBudgetOf(grid, serverBudgetBytes),
        serverBudgetBytes,
        rawSince: recordsFromNs === null ? null : isoOfNs(recordsFromNs),
        aggregatesSince: sumsFromNs === null ? null : isoOfNs(sumsFromNs),
      }
    },
  )
}
