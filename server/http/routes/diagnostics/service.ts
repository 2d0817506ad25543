import { serviceDetail } from '../../../diagnostics/service-detail.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { TelemetryReader } from '../../../storage/telemetry-store.ts'
import { READS } from '../../access.ts'
import { storableWindow } from '../../datetime.ts'
import type { Routes } from '../../endpoint.ts'
import { Problem } from '../../problem.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import * as schema from '../../schemas/diagnostics/service.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

/** Failed spans that are looked at; of more, the newest. */
const FAILURES_MAX = 50_000
const NS_PER_DAY = 86_400_000_000_000n

export function registerService({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/service/{serviceName}`,
      summary: 'Get one service in detail',
      description:
        'Its endpoints, its most frequent errors and what it depends on. A service is known while any span of it is.',
      params: { serviceName: schema.serviceName },
      query: momentQuery,
      response: schema.serviceDetail,
      problems: ['unknown-service'],
    },
    async ({ grid, reader, params: { serviceName }, query, nowMs }) => {
      const { atNs, current } = momentOf(query, nowMs, grid)
      const [requests, edges, failures] = await Promise.all([
        reader.requests({ window: current, by: ['operation'], serviceName, latencies: true }),
        reader.edges(current),
        reader.failures(current, serviceName, FAILURES_MAX),
      ])
      if (requests.length === 0 && failures.count === 0) {
        const startNs = atNs - BigInt(Math.ceil(grid.aggregateRetentionDays)) * NS_PER_DAY
        await requireKnown(reader, serviceName, storableWindow({ startNs, endNs: atNs }))
      }
      return serviceDetail({ serviceName, requests, edges, failures, apdex: grid.apdex })
    },
  )
}

async function requireKnown(reader: TelemetryReader, serviceName: string, window: TimeWindow): Promise<void> {
  const services = await reader.serviceSpans(window)
  if (services.some((service) => service.serviceName === serviceName)) return
  throw new Problem('unknown-service', `This Grid has no spans of the service ${serviceName}.`)
}
