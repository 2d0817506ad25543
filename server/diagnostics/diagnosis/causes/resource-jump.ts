import type { PressureType } from '../../pressure/catalogue-entry.ts'
import { rounded } from '../../rounding.ts'
import type { CauseKey } from '../catalogue.ts'
import type { ResourceJump } from '../resources/resource-jump.ts'
import type { Explanation, Inquiry } from './inquiry.ts'
import { saturationLine } from './wording.ts'

/** What being at the limit is called, of the resources that are a cause by themselves. */
const CAUSE_OF: Partial<Record<PressureType, CauseKey>> = {
  cpu: 'cpuSaturation',
  memory: 'memoryPressure',
  connection_pool: 'connectionPoolExhaustion',
  thread_pool: 'threadPoolExhaustion',
}
/** Those that run dry also because of what they are used for, and matter only where somebody waits. */
const POOLS: PressureType[] = ['connection_pool', 'thread_pool']
/** Seen at its limit only once, a resource may have peaked for a moment; unless there was nothing left of it, or hardly any of it was ever used. */
const SAMPLES_MIN = 2
const FULL = 95
const FAR_MORE_FACTOR = 5

/** A resource is used up that was far from it before. */
export function resourceJump({ suspect }: Inquiry): Explanation | undefined {
  const sure = suspect.jumps.filter(
    ({ saturation, usualMax }) =>
      CAUSE_OF[saturation.type] !== undefined &&
      (!POOLS.includes(saturation.type) || saturation.queueDepth > 0) &&
      (saturation.sampleCount >= SAMPLES_MIN ||
        saturation.utilization >= FULL ||
        usesFarMore({ saturation, usualMax })),
  )
  const [most] = sure.toSorted((a, b) => rankOf(a) - rankOf(b) || factorOf(b) - factorOf(a))
  const cause = most && CAUSE_OF[most.saturation.type]
  if (most === undefined || cause === undefined) return undefined
  const isPool = POOLS.includes(most.saturation.type)
  return {
    cause,
    detail: most.saturation.resource,
    strength: isPool ? 0.62 : 0.84,
    evidence: jumpLines(most),
    mayFollow: isPool,
  }
}

/** How full it is, and how full it ever was. */
export function jumpLines({ saturation, usualMax, usualCount }: ResourceJump): string[] {
  return [
    saturationLine(saturation),
    `${saturation.serviceName}: the highest of ${usualCount} measurements before was ${rounded(usualMax)} % (metrics)`,
  ]
}

function usesFarMore({ saturation, usualMax }: Pick<ResourceJump, 'saturation' | 'usualMax'>): boolean {
  return saturation.utilization >= FAR_MORE_FACTOR * usualMax
}

/** Work that waits for the processor often piles up in memory and in pools, not the other way round. */
function rankOf({ saturation: { type } }: ResourceJump): number {
  return type === 'cpu' ? 0 : POOLS.includes(type) ? 2 : 1
}

function factorOf({ saturation, usualMax }: ResourceJump): number {
  return saturation.utilization / Math.max(1, usualMax)
}
