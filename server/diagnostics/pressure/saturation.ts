import type { MetricPoint } from '../../domain/metric-point.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { PressureType } from './catalogue-entry.ts'
import { FRESH_NS, type Sample, sampleAt, samplesOf } from './group-samples.ts'
import { climbStart, hasPiledUp, isGrowing } from './growth.ts'
import { type MetricGroup, metricGroups } from './metric-groups.ts'

export const PRESSURE_SEVERITIES = ['critical', 'warning'] as const
export type PressureSeverity = (typeof PRESSURE_SEVERITIES)[number]

const WARNING = 80
const CRITICAL = 95

/** A stretch of time in which one resource of one instance was at its limit, or its backlog grew. */
export interface Saturation {
  type: PressureType
  serviceName: string
  /** Empty where the origin tells none. */
  instance: string
  /** What a person calls that instance. */
  instanceLabel: string
  resource: string
  severity: PressureSeverity
  /** When it crossed its limit; the window's start where it had before. Event time. */
  onsetNs: bigint
  /** When it was last seen so. */
  lastNs: bigint
  /** Whether it still is at the window's end; then the figures below are those of that moment, else the highest. */
  isLasting: boolean
  /** Percent; 0 where the limit is unknown and only the backlog tells. */
  utilization: number
  /** The limit; 0 where it is unknown. */
  capacity: number
  /** What waits; 0 where nothing tells. */
  queueDepth: number
  /** How many times it was seen so: one may be a moment's peak. */
  sampleCount: number
  /** Belongs to the machine, so that other services on it suffer too. */
  ofHost: boolean
}

/**
 * Every saturation in a window, of every service, from metrics alone: from 80 percent of a known limit, or by a backlog that
 * piles up where no limit is known. Points are those of `PRESSURE_METRICS`, ascending by time; others are passed over. A
 * cause shows as a saturation whose `onsetNs` lies before the symptoms; `isLasting` tells those that are there still.
 */
export function saturations(points: readonly MetricPoint[], window: TimeWindow): Saturation[] {
  return metricGroups(points).flatMap((group) => saturationsOf(group, window))
}

function saturationsOf(group: MetricGroup, { startNs, endNs }: TimeWindow): Saturation[] {
  const recentNs = endNs - FRESH_NS
  const samples = samplesOf(group, { startNs: startNs < recentNs ? startNs : recentNs, endNs })
  return stretchesIn(group, { samples, now: sampleAt(group, endNs) })
    .filter(({ isLasting, lastNs }) => isLasting || lastNs >= startNs)
    .map((one) => ({ ...one, onsetNs: one.onsetNs < startNs ? startNs : one.onsetNs }))
}

interface GroupHistory {
  samples: Sample[]
  /** As of the window's end, from what is fresh then. */
  now: Sample
}

function stretchesIn(group: MetricGroup, history: GroupHistory): Saturation[] {
  const stretches = stretchesOf(history.samples).filter(isSure)
  const last = stretches.at(-1)
  const lasts = last !== undefined && isPressed(history.now) && last.at(-1) === history.samples.at(-1)
  const ended = (lasts ? stretches.slice(0, -1) : stretches).map((stretch) => endedSaturation(group, history, stretch))
  const present = lasts ? lastingSaturation(group, history, last) : unlimitedSaturation(group, history)
  return present === undefined ? ended : [...ended, present]
}

/** Runs of samples at the limit, without a silence in between. */
function stretchesOf(samples: readonly Sample[]): Sample[][] {
  const stretches: Sample[][] = []
  let before: Sample | undefined
  for (const sample of samples) {
    const goesOn = before !== undefined && isPressed(before) && sample.timeNs - before.timeNs <= FRESH_NS
    if (isPressed(sample)) {
      if (goesOn) stretches.at(-1)?.push(sample)
      else stretches.push([sample])
    }
    before = sample
  }
  return stretches
}

export function isPressed({ utilization }: Sample): boolean {
  return utilization !== undefined && utilization >= WARNING
}

/** A limit that nobody told is taken for one only where somebody waits twice in a row: a pool may be about to grow. */
function isSure(stretch: Sample[]): boolean {
  return stretch.length > 1 || !stretch[0]?.isLimitSupposed
}

function lastingSaturation(group: MetricGroup, history: GroupHistory, stretch: Sample[]): Saturation {
  const { utilization = 0, limit = 0, pending = 0 } = history.now
  const grows = isGrowing(recentDepths(history.samples, history.now.timeNs))
  return {
    ...facts(group, stretch),
    severity: utilization >= CRITICAL || grows ? 'critical' : 'warning',
    isLasting: true,
    utilization,
    capacity: limit,
    queueDepth: pending,
  }
}

function endedSaturation(group: MetricGroup, { samples }: GroupHistory, stretch: Sample[]): Saturation {
  const shared = facts(group, stretch)
  const utilization = highest(stretch, (sample) => sample.utilization)
  const grew = isGrowing(recentDepths(samples, shared.lastNs))
  return {
    ...shared,
    severity: utilization >= CRITICAL || grew ? 'critical' : 'warning',
    isLasting: false,
    utilization,
    capacity: highest(stretch, (sample) => sample.limit),
    queueDepth: highest(stretch, (sample) => sample.pending),
  }
}

/** Where no limit is known: a backlog that piled up, or requests that stay below a ceiling while ever more wait. */
function unlimitedSaturation(group: MetricGroup, history: GroupHistory): Saturation | undefined {
  const { entry } = group
  if (history.now.utilization !== undefined || history.now.pending === undefined) return undefined
  const waiting = history.samples.filter(({ pending }) => pending !== undefined)
  const depths = waiting.map(({ pending = 0 }) => pending)
  const grows = isGrowing(recentDepths(waiting, history.now.timeNs))
  if (entry.ceiling && grows) return ceilingSaturation(group, history)
  if (entry.backlogMin === undefined || !hasPiledUp(depths, entry.backlogMin)) return undefined
  return {
    ...facts(group, waiting.slice(Math.min(climbStart(depths), waiting.length - 1))),
    severity: grows ? 'critical' : 'warning',
    isLasting: true,
    utilization: 0,
    capacity: 0,
    queueDepth: history.now.pending,
  }
}

const CEILING_NS = 240_000_000_000n

function ceilingSaturation(group: MetricGroup, { samples, now }: GroupHistory): Saturation | undefined {
  const recent = samples.filter(({ timeNs, used }) => now.timeNs - timeNs <= FRESH_NS && used !== undefined)
  const first = recent[0]
  const heights = recent.map(({ used = 0 }) => used)
  const ceiling = Math.max(...heights)
  const isPinned = ceiling >= 2 && Math.min(...heights) >= 0.9 * ceiling
  if (first === undefined || !isPinned || now.timeNs - first.timeNs < CEILING_NS || now.used === undefined)
    return undefined
  return {
    ...facts(group, recent),
    severity: 'critical',
    isLasting: true,
    utilization: (now.used / ceiling) * 100,
    capacity: ceiling,
    queueDepth: now.pending ?? 0,
  }
}

function facts(group: MetricGroup, stretch: readonly Sample[]) {
  const { entry, serviceName, instance, instanceLabel, resource } = group
  const onsetNs = stretch[0]?.timeNs ?? 0n
  const lastNs = stretch.at(-1)?.timeNs ?? onsetNs
  const ofHost = entry.ofHost === true
  return {
    type: entry.type,
    serviceName,
    instance,
    instanceLabel,
    resource,
    onsetNs,
    lastNs,
    sampleCount: stretch.length,
    ofHost,
  }
}

/** How many waited in the five minutes up to a moment. */
function recentDepths(samples: readonly Sample[], atNs: bigint): number[] {
  return samples
    .filter(({ timeNs }) => timeNs <= atNs && atNs - timeNs <= FRESH_NS)
    .flatMap(({ pending }) => (pending === undefined ? [] : [pending]))
}

function highest(samples: readonly Sample[], figure: (sample: Sample) => number | undefined): number {
  return samples.reduce((max, sample) => Math.max(max, figure(sample) ?? 0), 0)
}
