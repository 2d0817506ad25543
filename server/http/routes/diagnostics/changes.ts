import type { ControlStore, GridEvent } from '../../../control/control-store.ts'
import {
  COMPARED_MINUTES,
  impactWindows,
  needsLatencies,
  type PerformanceImpact,
  performanceImpacts,
  type Side,
  type Sides,
} from '../../../diagnostics/changes/change-impact.ts'
import { CHANGE_TYPES, type ChangeType } from '../../../diagnostics/changes/found-event.ts'
import { mergedLatencies } from '../../../domain/latencies.ts'
import { NS_PER_MS, type TimeWindow } from '../../../domain/time-window.ts'
import type { TelemetryReader } from '../../../storage/telemetry-store.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import * as schema from '../../schemas/diagnostics/changes.ts'
import { dayQuery } from '../../schemas/diagnostics/day.ts'
import { DIAGNOSTICS } from './moment.ts'
import { recentRange } from './recent-range.ts'

/** Each of them takes questions of its own. */
const CHANGES_MAX = 200
/** After these a service is not what it was before. */
const TURNS: ChangeType[] = ['deployment', 'configuration']

type Change = GridEvent & { type: ChangeType; atNs: bigint }

export function registerChanges({ onGrid }: Routes, { events }: Pick<ControlStore, 'events'>): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/changes`,
      summary: 'Get what was changed, and what it did to performance',
      description:
        'Deployments (another `service.version`; a rolling deployment is one change, a canary and a rollback are changes too), scalings (another number of instances by `service.instance.id`, else `k8s.pod.name`, else `host.name`; an instance is live for 5 minutes after its last span, or longer where too little is asked of the service to tell), new services and endpoints (not in the first hour of the Grid, nor endpoints in the first hour of their service), and changed configuration (a resource attribute that names no identity and was equal on all instances). The performance of the service is compared up to 30 minutes before and after, but not across another deployment or changed configuration of it. The newest 200 of them.',
      query: dayQuery,
      response: schema.changes,
    },
    async ({ grid, reader, query, nowMs }) => {
      const { startMs, endMs, atNs } = recentRange(query, nowMs)
      const found = await events.list(grid.id, { startMs: startMs - COMPARED_MINUTES * 60_000, endMs })
      const changes = found.flatMap((event): Change[] =>
        isChange(event) ? [{ ...event, atNs: BigInt(event.atMs) * NS_PER_MS }] : [],
      )
      const newest = changes.filter(({ atMs }) => atMs >= startMs).slice(-CHANGES_MAX)
      newest.reverse()
      const turns = changes.filter(({ type }) => TURNS.includes(type))
      const compared = await Promise.all(newest.map((change) => comparedAround(reader, change, turns, atNs)))
      const impacts = performanceImpacts(compared)
      return { changes: newest.map((change, index) => answerOf(change, impacts[index] as PerformanceImpact)) }
    },
  )
}

function isChange(event: GridEvent): event is GridEvent & { type: ChangeType } {
  return (CHANGE_TYPES as readonly string[]).includes(event.type)
}

function answerOf({ type, serviceName, atMs, description, details }: Change, performanceImpact: PerformanceImpact) {
  const { previousVersion = '', currentVersion = '' } = details
  return {
    type,
    serviceName,
    detectedAt: new Date(atMs).toISOString(),
    ...(type === 'deployment' ? { previousVersion, currentVersion } : { description }),
    performanceImpact,
  }
}

async function comparedAround(reader: TelemetryReader, change: Change, turns: Change[], untilNs: bigint) {
  const { before, after } = impactWindows(change, turns, untilNs)
  const groups = await reader.requests({
    window: { startNs: before.startNs, endNs: after.endNs },
    by: ['minute'],
    serviceName: change.serviceName,
    latencies: false,
  })
  const sides: Sides = {
    before: sumOf(groups.filter(({ minuteNs }) => minuteNs < change.atNs)),
    after: sumOf(groups.filter(({ minuteNs }) => minuteNs >= change.atNs)),
  }
  if (!needsLatencies(sides)) return sides
  const latenciesOf = async (window: TimeWindow) => {
    const found = await reader.requests({ window, by: [], serviceName: change.serviceName, latencies: true })
    return mergedLatencies(found.map(({ latencies }) => latencies))
  }
  const latencies = { before: await latenciesOf(before), after: await latenciesOf(after) }
  return { ...sides, latencies }
}

function sumOf(groups: Side[]): Side {
  return groups.reduce(
    (sum, group) => ({
      requestCount: sum.requestCount + group.requestCount,
      errorCount: sum.errorCount + group.errorCount,
      durationNsSum: sum.durationNsSum + group.durationNsSum,
    }),
    { requestCount: 0, errorCount: 0, durationNsSum: 0n },
  )
}
