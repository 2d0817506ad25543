import type { MetricPoint } from '../../../domain/metric-point.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import { samplesOf } from '../../pressure/group-samples.ts'
import { metricGroups } from '../../pressure/metric-groups.ts'
import { type Saturation, saturations } from '../../pressure/saturation.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'

/** A resource at its limit that was far from it just before, as it had always been. */
export interface ResourceJump {
  saturation: Saturation
  /** In percent, the highest of the time before. */
  usualMax: number
  /** How often it was measured in that time. */
  usualCount: number
}

/** How many times its own highest a resource must be used to have jumped. */
const FACTOR_MIN = 2
/** Memory is kept, so what counts is what is left of it: hardly any, and so many times less than there always was. */
const MEMORY_LEFT_MAX = 5
const MEMORY_LEFT_FACTOR_MIN = 5
const USUAL_COUNT_MIN = 4
/** Just before a limit is crossed, use may already be rising. */
const RISING_NS = NS_PER_MINUTE
/** What is used up may have been so since before the window. */
const LOOK_BACK_NS = 10n * NS_PER_MINUTE

/** `points` also of the time before the window, which is what is usual. */
export function resourceJumps(points: MetricPoint[], window: TimeWindow): ResourceJump[] {
  const full = saturations(points, { startNs: window.startNs - LOOK_BACK_NS, endNs: window.endNs }).filter(
    ({ isLasting, lastNs }) => isLasting || lastNs >= window.startNs,
  )
  if (full.length === 0) return []
  const groups = metricGroups(points)
  return full.flatMap((saturation): ResourceJump[] => {
    const own = groups.filter(
      ({ entry, serviceName, instance, resource }) =>
        entry.type === saturation.type &&
        serviceName === saturation.serviceName &&
        instance === saturation.instance &&
        resource === saturation.resource,
    )
    const beforeNs = saturation.onsetNs - RISING_NS
    const usual = own.flatMap((group) => samplesOf(group, { startNs: 0n, endNs: beforeNs }))
    const shares = usual.flatMap(({ utilization }) => (utilization === undefined ? [] : [utilization]))
    if (shares.length < USUAL_COUNT_MIN) return []
    const usualMax = Math.max(...shares)
    return isJump(saturation, usualMax) ? [{ saturation, usualMax, usualCount: shares.length }] : []
  })
}

function isJump({ type, utilization }: Saturation, usualMax: number): boolean {
  if (utilization >= FACTOR_MIN * usualMax && utilization > 0) return true
  const left = 100 - utilization
  return type === 'memory' && left <= MEMORY_LEFT_MAX && 100 - usualMax >= MEMORY_LEFT_FACTOR_MIN * left
}
