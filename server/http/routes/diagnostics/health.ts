import { healthOverview } from '../../../diagnostics/health.ts'
import { isoOfNs } from '../../../domain/time-window.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import * as schema from '../../schemas/diagnostics/health.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

export function registerHealth({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/health`,
      summary: 'Get the health of all services',
      description:
        '`unhealthy` from an error rate of 25 % or below an apdex of 0.5, `degraded` from 5 % or below 0.7; with under 5 requests at worst `degraded`. A service that had requests in the hour before the window and none in it is listed with 0 requests: `unhealthy` where its callers fail to reach it, else `unknown`.',
      query: momentQuery,
      response: schema.healthOverview,
    },
    async ({ grid, reader, query, nowMs }) => {
      const { atNs, current, baseline } = momentOf(query, nowMs, grid)
      const [requests, requestsBefore, edges] = await Promise.all([
        reader.requests({ window: current, by: ['service'], latencies: false }),
        reader.requests({ window: baseline, by: ['service'], latencies: false }),
        reader.edges(current),
      ])
      const { overallStatus, services } = healthOverview({ current: requests, baseline: requestsBefore, edges })
      return { overallStatus, timestamp: isoOfNs(atNs), services }
    },
  )
}
