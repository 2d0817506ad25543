import { slowestEndpoints } from '../../../diagnostics/slowest-endpoints.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import * as schema from '../../schemas/diagnostics/slowest-endpoints.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

export function registerSlowestEndpoints({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/slowest-endpoints`,
      summary: 'List the slowest endpoints',
      description:
        'Operations of SERVER spans, ranked by their 99th percentile. Those with under 5 requests rank last.',
      query: momentQuery,
      response: schema.slowestEndpoints,
    },
    async ({ grid, reader, query, nowMs }) => {
      const { current } = momentOf(query, nowMs, grid)
      const by = ['service' as const, 'operation' as const]
      const groups = await reader.requests({ window: current, by, kind: 'SERVER', latencies: true })
      return { endpoints: slowestEndpoints(groups) }
    },
  )
}
