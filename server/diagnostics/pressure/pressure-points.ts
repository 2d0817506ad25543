import type { MetricPoint } from '../../domain/metric-point.ts'
import { isoOfNs, type TimeWindow } from '../../domain/time-window.ts'
import { rounded } from '../rounding.ts'
import type { CatalogueEntry, PressureType } from './catalogue-entry.ts'
import { type Sample, sampleAt } from './group-samples.ts'
import { type MetricGroup, metricGroups } from './metric-groups.ts'
import { metricsOf } from './metric-index.ts'
import { isPressed, PRESSURE_SEVERITIES, type PressureSeverity, type Saturation, saturations } from './saturation.ts'
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
  metrics: RecentMetrics
  /** Of the metrics under pressure, from the window's start up to the recent ones, ascending by time. */
  earlierPoints: readonly MetricPoint[]
  failures: FailureFacts
  /** By minute, of the last six minutes at least. */
  edges: readonly EdgeMinute[]
}

/** What the metrics of the last five minutes say. */
export interface RecentMetrics {
  points: readonly MetricPoint[]
  states: readonly { group: MetricGroup; now: Sample }[]
  /**
   * The names of all metrics whose history matters: of resources that are at their limit, or have a backlog. At most moments
   * there are none, and nothing more needs to be read.
   */
  underPressure: readonly string[]
}

/** Points are those of `PRESSURE_METRICS`, of the five minutes before the moment at least, ascending by time. */
export function recentMetrics(points: readonly MetricPoint[], atNs: bigint): RecentMetrics {
  const states = metricGroups(points).map((group) => ({ group, now: sampleAt(group, atNs) }))
  const pressed = states.filter(
    ({ group: { entry }, now }) => isPressed(now) || (now.pending ?? 0) >= leastBacklog(entry),
  )
  return { points, states, underPressure: [...new Set(pressed.flatMap(({ group }) => metricsOf(group.entry)))] }
}

/** What is at its limit at the end of the window: critical first, then by utilization, at most 100. */
export function pressurePoints({ window, metrics, earlierPoints, failures, edges }: PressureFacts): PressurePoint[] {
  const names = new Set(metrics.underPressure)
  const points = metrics.points.filter(({ name }) => names.has(name))
  const measured = measuredBy(metrics)
  const fromTraces = [
    ...failureSaturations(failures),
    ...concurrencySaturations(failures.requests, edges, window.endNs),
  ].filter(({ type, serviceName }) => !MEASURED_BY[type].some((by) => measured.has(`${by} ${serviceName}`)))
  const fromMetrics = saturations([...earlierPoints, ...points], window).filter(({ isLasting }) => isLasting)
  const worst = worstOfEach([...fromMetrics, ...fromTraces])
    .sort(worstFirst)
    .slice(0, POINTS_MAX)
  const instances = worst.length === 0 ? new Map<string, number>() : instanceCounts(metrics)
  return worst.map((saturation) => pointOf(saturation, window, instances.get(keyOf(saturation)) ?? 0))
}

/** Some that wait for a place below a ceiling are a backlog, too. */
function leastBacklog({ backlogMin, ceiling }: CatalogueEntry): number {
  return backlogMin ?? (ceiling ? 1 : Number.POSITIVE_INFINITY)
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

function measuredBy({ states }: RecentMetrics): Set<string> {
  const known = states.filter(({ now }) => now.utilization !== undefined)
  return new Set(known.map(({ group }) => `${group.entry.type} ${group.serviceName}`))
}

function instanceCounts({ states }: RecentMetrics): Map<string, number> {
  const names = new Map<string, Set<string>>()
  for (const { group } of states) {
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
