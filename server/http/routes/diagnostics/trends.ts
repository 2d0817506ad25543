import { trends } from '../../../diagnostics/trends.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import * as schema from '../../schemas/diagnostics/trends.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

export function registerTrends({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/trends`,
      summary: 'Get trends',
      description:
        'All requests of the Grid in the window, against the hour before it. Rates are per second of the window, or of the time since the first data of the Grid where that is shorter. With under 5 minutes or 30 requests in the hour before, everything is `stable` with 0.',
      query: momentQuery,
      response: schema.trends,
    },
    async ({ grid, reader, query, nowMs }) => {
      const { current, baseline } = momentOf(query, nowMs, grid)
      const [requests, requestsBefore, firstSpanNs] = await Promise.all([
        reader.requests({ window: current, by: [], latencies: true }),
        reader.requests({ window: baseline, by: [], latencies: true }),
        reader.firstSpanNs(),
      ])
      return trends({ window: current, requests }, { window: baseline, requests: requestsBefore }, firstSpanNs)
    },
  )
}
