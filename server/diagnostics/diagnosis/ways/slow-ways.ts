import type { DrawnTraces } from '../../../storage/diagnostics-reader.ts'
import type { Share } from '../../statistics/fisher-exact.ts'
import { type Episode, type MinuteAxis, placeOn } from '../series/minute-axis.ts'
import { chanceOfRise, type RiseLimits, strongestRise } from '../series/strongest-rise.ts'
import { calmMinutes } from '../symptoms/disturbances.ts'
import { isLasting, P_VALUE_BELOW } from '../symptoms/judgement.ts'
import { onsetOf } from '../symptoms/onset.ts'

/** Two services between which calls lose more time than they used to. */
export interface SlowWay {
  sourceName: string
  targetName: string
  /** The end that all its slow ways have in common. */
  serviceName: string
  episode: Episode
  onsetNs: bigint
  /** Medians, of so many calls. */
  beforeMs: number
  duringMs: number
  before: number
  during: number
  /** How many of those during it were long. */
  long: number
  /** Corrected for everything that was compared. */
  pValue: number
  traceId: string
}

/** What calls from one service to another lost, each in its minute of the axis. */
interface Way {
  sourceName: string
  targetName: string
  gapsNs: Float64Array
  minutes: Int32Array
  traceId: string
}

const LIMITS: RiseLimits = { partsMin: 4, wholesMin: 5, restWholesMin: 15 }
/** A gap is long from so many times the usual one on, which is that of the quicker calls: trouble may have most of the time. */
const LONG_FACTOR = 2.5
const USUAL_QUANTILE = 0.35
const ADDED_NS_MIN = 2e6
/** Most calls lose the time, not only some that were unlucky. */
const LONG_SHARE_MIN = 0.5

/** Ways whose calls lose far more time than usual, with the end whose network is slow. */
export function slowWays(drawn: Pick<DrawnTraces, 'startNs' | 'gaps'>, axis: MinuteAxis): SlowWay[] {
  const ways = waysOf(drawn, axis)
  const slow = ways.flatMap((way) => slowWayOf(way, axis, ways.length))
  return slow.map((way) => ({ ...way, serviceName: endAtFault(way, slow, ways) }))
}

/** What was lost off the axis is left out. */
function waysOf({ startNs, gaps }: Pick<DrawnTraces, 'startNs' | 'gaps'>, axis: MinuteAxis): Way[] {
  const firstMinute = placeOn(axis, startNs)
  return gaps.map(({ gapsNs, minutes, ...way }) => {
    const places = new Int32Array(minutes)
    for (let i = 0; i < places.length; i++) places[i] = (places[i] as number) + firstMinute
    const [from, to] = [firstFrom(0, places), firstFrom(axis.length, places)]
    return { ...way, gapsNs: gapsNs.subarray(from, to), minutes: places.subarray(from, to) }
  })
}

/** Where in an ascending list the first is that is not below a value. */
function firstFrom(value: number, ascending: Int32Array): number {
  const found = ascending.findIndex((each) => each >= value)
  return found === -1 ? ascending.length : found
}

function slowWayOf(
  { sourceName, targetName, gapsNs, minutes, traceId }: Way,
  axis: MinuteAxis,
  comparisons: number,
): SlowWay[] {
  const longNs = LONG_FACTOR * quantileOf(gapsNs, USUAL_QUANTILE) + ADDED_NS_MIN
  const parts = new Array<number>(axis.length).fill(0)
  const wholes = new Array<number>(axis.length).fill(0)
  for (let i = 0; i < gapsNs.length; i++) {
    const minute = minutes[i] as number
    wholes[minute] = (wholes[minute] as number) + 1
    if ((gapsNs[i] as number) > longNs) parts[minute] = (parts[minute] as number) + 1
  }
  const rise = strongestRise({ parts, wholes }, LIMITS)
  if (rise === undefined || rise.from === 0 || !isLasting(rise, axis, wholes)) return []
  const calm = calmMinutes(axis.length, [rise])
  const pValue = chanceOfRise({ parts, wholes }, rise, calm) * comparisons
  const isIn = (minute: number) => minute >= rise.from && minute < rise.to
  const during = gapsNs.filter((_, i) => isIn(minutes[i] as number))
  const before = gapsNs.filter((_, i) => calm.includes(minutes[i] as number))
  const [beforeMs, duringMs] = [quantileOf(before, 0.5) / 1e6, quantileOf(during, 0.5) / 1e6]
  const long = shareOver(parts, wholes, isIn)
  if (pValue >= P_VALUE_BELOW || long.part < LONG_SHARE_MIN * long.whole || duringMs < 2 * beforeMs) return []
  return [
    {
      ...{ sourceName, targetName, serviceName: targetName, episode: { from: rise.from, to: rise.to } },
      onsetNs: onsetOf(axis, rise, (minute) => [parts[minute] ?? 0, wholes[minute] ?? 0]),
      ...{ beforeMs, duringMs, before: before.length, during: during.length, long: long.part, pValue, traceId },
    },
  ]
}

/**
 * The callee, unless what the caller sends out is slow for a larger part than what the callee is sent. Only ways on which there
 * was something to see in the meantime count.
 */
function endAtFault({ sourceName, targetName, episode }: SlowWay, slow: SlowWay[], ways: Way[]): string {
  const isBusy = ({ minutes }: Way) => minutes.some((minute) => minute >= episode.from && minute < episode.to)
  const shareOf = (isAtEnd: (way: { sourceName: string; targetName: string }) => boolean) =>
    slow.filter(isAtEnd).length / Math.max(1, ways.filter((way) => isAtEnd(way) && isBusy(way)).length)
  const sent = shareOf((way) => way.sourceName === sourceName)
  const received = shareOf((way) => way.targetName === targetName)
  const sendsSeveral = slow.filter((way) => way.sourceName === sourceName).length > 1
  return sendsSeveral && sent > received ? sourceName : targetName
}

function shareOver(parts: number[], wholes: number[], counts: (minute: number) => boolean): Share {
  const sum = (values: number[]) => values.reduce((total, value, minute) => (counts(minute) ? total + value : total), 0)
  return { part: sum(parts), whole: sum(wholes) }
}

function quantileOf(values: Float64Array, share: number): number {
  return values.toSorted()[Math.floor(values.length * share)] ?? 0
}
