import { dependencyMap } from '../../../diagnostics/dependency-map.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import * as schema from '../../schemas/diagnostics/services.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

export function registerServices({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/services`,
      summary: 'Get the dependency map',
      description:
        'An edge joins a CLIENT or PRODUCER span to the span of another service below it, or that links to it. Where there is none, the target is what the attributes of the call name: a known service (`peer.service`, `server.address`), else the dependency (database, messaging system, RPC service, host).',
      query: momentQuery,
      response: schema.dependencyMap,
    },
    async ({ grid, reader, query, nowMs }) => {
      const { current } = momentOf(query, nowMs, grid)
      const [serviceSpans, requests, edges] = await Promise.all([
        reader.serviceSpans(current),
        reader.requests({ window: current, by: ['service', 'kind'], latencies: false }),
        reader.edges(current),
      ])
      return dependencyMap({ serviceSpans, requests, edges })
    },
  )
}
