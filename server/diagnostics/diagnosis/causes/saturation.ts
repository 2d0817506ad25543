import type { Saturation } from '../../pressure/saturation.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import { type Explanation, type Inquiry, saturationsOf, shareOfVotes } from './inquiry.ts'
import { failureLine, saturationLine } from './wording.ts'

/** How much of the votes must be about waiting inside the service for a full resource to be the reason. */
const WAITING_SHARE_MIN = 0.3
const RISING_NS = NS_PER_MINUTE / 2n

export function cpuSaturation(inquiry: Inquiry): Explanation | undefined {
  const [full] = saturationsOf(inquiry, 'cpu')
  if (!full || waitsInside(inquiry) < WAITING_SHARE_MIN) return undefined
  return {
    cause: 'cpuSaturation',
    detail: full.resource,
    strength: 0.76,
    evidence: [saturationLine(full)],
    mayFollow: false,
  }
}

export function memoryPressure(inquiry: Inquiry): Explanation | undefined {
  const { votes } = inquiry.suspect
  const [full] = saturationsOf(inquiry, 'memory')
  const failed = votes.filter(({ failure }) => failure?.class === 'memory')
  const isOut = failed.length >= 0.3 * votes.length
  if (!isOut && (!full || waitsInside(inquiry) < WAITING_SHARE_MIN)) return undefined
  return {
    cause: 'memoryPressure',
    detail: full?.resource ?? '',
    strength: isOut ? 0.86 : isBeforeProcessor(full, inquiry) ? 0.8 : 0.68,
    evidence: [failureLine(failed, votes.length), full ? saturationLine(full) : ''].filter(Boolean),
    mayFollow: false,
  }
}

/** Memory that runs full makes the processor collect it; work that waits for the processor fills memory only afterwards. */
function isBeforeProcessor(memory: Saturation | undefined, inquiry: Inquiry): boolean {
  const cpuOnsets = saturationsOf(inquiry, 'cpu').map(({ onsetNs }) => onsetNs)
  return memory !== undefined && cpuOnsets.every((onsetNs) => memory.onsetNs + RISING_NS <= onsetNs)
}

/** Workers are all taken. They may be so because what they wait for is slow. */
export function threadPoolExhaustion(inquiry: Inquiry): Explanation | undefined {
  const { votes } = inquiry.suspect
  const [full] = saturationsOf(inquiry, 'thread_pool', 'event_loop', 'concurrency')
  const refused = votes.filter(({ place, failure }) => place.at === 'inside' && failure?.class === 'rejected')
  const waiting = waitsInside(inquiry)
  const refusedShare = refused.length / votes.length
  // Of those who wait for a worker some are refused; how many depends on how long the line may be.
  const isRefusing = refusedShare >= 0.3 || (refusedShare >= 0.1 && refusedShare + waiting >= 0.6)
  if (!isRefusing && (!full || waiting < WAITING_SHARE_MIN)) return undefined
  return {
    cause: 'threadPoolExhaustion',
    detail: full?.resource ?? '',
    strength: isRefusing && full ? 0.72 : 0.64,
    evidence: [failureLine(refused, votes.length), full ? saturationLine(full) : ''].filter(Boolean),
    mayFollow: true,
  }
}

export function queueBacklog(inquiry: Inquiry): Explanation | undefined {
  const [full] = saturationsOf(inquiry, 'queue')
  if (!full) return undefined
  return {
    cause: 'queueBacklog',
    detail: full.resource,
    strength: 0.6,
    evidence: [saturationLine(full)],
    mayFollow: true,
  }
}

function waitsInside(inquiry: Inquiry): number {
  return shareOfVotes(
    inquiry,
    ({ place, by, failure }) => place.at === 'inside' && (by === 'time' || failure?.class === 'timeout'),
  )
}
