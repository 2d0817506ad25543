import { type ControlStore, EVENT_TYPES, type GridEvent } from '../../../control/control-store.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import { dayQuery } from '../../schemas/diagnostics/day.ts'
import * as schema from '../../schemas/diagnostics/timeline.ts'
import { DIAGNOSTICS } from './moment.ts'
import { recentRange } from './recent-range.ts'

export function registerTimeline({ onGrid }: Routes, { events }: Pick<ControlStore, 'events'>): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/timeline`,
      summary: 'Get everything notable that happened',
      description:
        'Changes, anomalies with their recovery, and alerts with theirs. An event is recorded once, within 15 seconds after its telemetry has come, and dated by the telemetry itself, whether that comes live, late or is imported. For 10 minutes after it was recorded it is provisional: telemetry that comes late may alter or withdraw it. Then it is settled: later telemetry may add events, but alters none. An anomaly is an error rate, an average latency or a throughput that is far off that of the hour before, beyond chance, for three minutes or more; it is critical from an error rate of 25 %, a tenfold latency, or when requests stop, else a warning.',
      query: dayQuery,
      response: schema.timeline,
    },
    async ({ grid, query, nowMs }) => {
      const recent = await events.list(grid.id, recentRange(query, nowMs))
      return {
        events: recent.toSorted(causesFirst).map(({ atMs, type, description, severity, serviceName }) => ({
          timestamp: new Date(atMs).toISOString(),
          type,
          description,
          severity,
          serviceName,
        })),
      }
    },
  )
}

/** Of one minute, what was done to the system comes before what it did then. */
function causesFirst(a: GridEvent, b: GridEvent): number {
  return a.atMs - b.atMs || EVENT_TYPES.indexOf(a.type) - EVENT_TYPES.indexOf(b.type)
}
