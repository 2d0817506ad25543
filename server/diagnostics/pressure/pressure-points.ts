import type { MetricPoint } from '../../domain/metric-point.ts'
import { isoOfNs, type TimeWindow } from '../../domain/time-window.ts'
import { rounded } from '../rounding.ts'
import type { PressureType } from './catalogue-entry.ts'
import { FRESH_NS, historyOf } from './group-samples.ts'
import { metricGroups } from './metric-groups.ts'
import { metricsOf } from './metric-index.ts'
import {
  type Assessment,
  assess,
  isPressed,
  PRESSURE_SEVERITIES,
  type PressureSeverity,
  type Saturation,
} from './saturation.ts'
import { concurrencySaturations, type EdgeMinute } from './trace-concurrency.ts'
import { type FailureFacts, failureSaturations } from './trace-failures.ts'

const POINTS_MAX = 100

export interface PressurePoint {
  type: PressureType
  serviceName: string
  /** With the instance behind it where several have such a resource; then it is the worst one. */
  resource: string
  utilization: number
  capacity: number
  queueDepth: number
  severity: PressureSeverity
  detectedAt: string
}

export interface PressureFacts {
  /** Ends at the moment asked about. */
  window: TimeWindow
  /** Of `PRESSURE_METRICS`, ascending by time, of the last five minutes at least. */
  points: readonly MetricPoint[]
  failures: FailureFacts
  /** By minute, of the last six minutes at least. */
  edges: readonly EdgeMinute[]
}

/** What is at its limit at the end of the window: critical first, then by utilization, at most 100. */
export function pressurePoints({ window, points, failures, edges }: PressureFacts): PressurePoint[] {
  const assessments = assess(points, window)
  const fromMetrics = assessments.flatMap(({ saturations }) => saturations.filter(({ isLasting }) => isLasting))
  const measured = measuredBy(assessments)
  const fromTraces = [
    ...failureSaturations(failures),
    ...concurrencySaturations(failures.requests, edges, window.endNs),
  ].filter(({ type, serviceName }) => !MEASURED_BY[type].some((by) => measured.has(`${by} ${serviceName}`)))
  const instances = instanceCounts(assessments)
  return worstOfEach([...fromMetrics, ...fromTraces])
    .sort(worstFirst)
    .slice(0, POINTS_MAX)
    .map((saturation) => pointOf(saturation, window, instances.get(keyOf(saturation)) ?? 0))
}

/**
 * The metrics whose history decides what is said: of resources that are at their limit, or have a backlog, by the points of
 * the last five minutes. At most moments there are none, and nothing else needs to be read.
 */
export function metricsUnderPressure(points: readonly MetricPoint[], atNs: bigint): string[] {
  const window = { startNs: atNs - FRESH_NS, endNs: atNs }
  const pressed = metricGroups(points).filter((group) => {
    const { now } = historyOf(group, window)
    return isPressed(now) || (now.pending ?? 0) >= (group.entry.backlogMin ?? Number.POSITIVE_INFINITY)
  })
  return [...new Set(pressed.flatMap(({ entry }) => metricsOf(entry)))]
}

/** Traces tell only what no metric of the service does: nobody measures the limits of others, which refuse. */
const MEASURED_BY: Record<PressureType, PressureType[]> = {
  connection_pool: ['connection_pool'],
  thread_pool: ['thread_pool'],
  event_loop: ['event_loop'],
  queue: ['queue'],
  cpu: ['cpu'],
  memory: ['memory'],
  disk: ['disk'],
  file_descriptors: ['file_descriptors'],
  rate_limit: [],
  concurrency: ['concurrency', 'thread_pool'],
}

function measuredBy(assessments: readonly Assessment[]): Set<string> {
  const known = assessments.filter(({ now }) => now.utilization !== undefined)
  return new Set(known.map(({ group }) => `${group.entry.type} ${group.serviceName}`))
}

function instanceCounts(assessments: readonly Assessment[]): Map<string, number> {
  const names = new Map<string, Set<string>>()
  for (const { group } of assessments) {
    const key = keyOf({ ...group, type: group.entry.type })
    names.set(key, (names.get(key) ?? new Set<string>()).add(group.instance))
  }
  return new Map([...names].map(([key, instances]) => [key, instances.size]))
}

function keyOf({ type, serviceName, resource }: Pick<Saturation, 'type' | 'serviceName' | 'resource'>): string {
  return JSON.stringify([type, serviceName, resource])
}

/** The worst instance of each resource of a service. */
function worstOfEach(saturations: readonly Saturation[]): Saturation[] {
  const worst = new Map<string, Saturation>()
  for (const saturation of [...saturations].sort(worstFirst)) {
    const key = keyOf(saturation)
    if (!worst.has(key)) worst.set(key, saturation)
  }
  return [...worst.values()]
}

function worstFirst(a: Saturation, b: Saturation): number {
  return (
    PRESSURE_SEVERITIES.indexOf(a.severity) - PRESSURE_SEVERITIES.indexOf(b.severity) ||
    b.utilization - a.utilization ||
    b.queueDepth - a.queueDepth ||
    ascending(a.serviceName, b.serviceName) ||
    ascending(a.type, b.type) ||
    ascending(a.resource, b.resource) ||
    ascending(a.instance, b.instance)
  )
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function pointOf(saturation: Saturation, { startNs }: TimeWindow, instanceCount: number): PressurePoint {
  const { type, serviceName, resource, instanceLabel, severity, onsetNs, ofHost } = saturation
  const isNamed = instanceLabel !== '' && instanceLabel !== resource && (ofHost || instanceCount > 1)
  return {
    type,
    serviceName,
    resource: isNamed ? `${resource} on ${instanceLabel}` : resource,
    utilization: rounded(saturation.utilization),
    capacity: rounded(saturation.capacity),
    queueDepth: Math.round(saturation.queueDepth),
    severity,
    detectedAt: isoOfNs(onsetNs < startNs ? startNs : onsetNs),
  }
}
