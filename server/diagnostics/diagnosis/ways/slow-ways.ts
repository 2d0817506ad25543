import type { CallGaps } from '../../../storage/diagnostics-reader.ts'
import type { Share } from '../../statistics/fisher-exact.ts'
import { groupedBy } from '../grouped-by.ts'
import { type Episode, indexOn, type MinuteAxis } from '../series/minute-axis.ts'
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

interface Way {
  sourceName: string
  targetName: string
  minutes: { minute: number; gapsMs: number[]; traceId: string }[]
}

const LIMITS: RiseLimits = { partsMin: 4, wholesMin: 5, restWholesMin: 15 }
/** A gap is long from so many times the usual one on, which is that of the quicker calls: trouble may have most of the time. */
const LONG_FACTOR = 2.5
const USUAL_QUANTILE = 0.35
const ADDED_MS_MIN = 2
/** Most calls lose the time, not only some that were unlucky. */
const LONG_SHARE_MIN = 0.5

/** Ways whose calls lose far more time than usual, with the end whose network is slow. */
export function slowWays(rows: CallGaps[], axis: MinuteAxis): SlowWay[] {
  const ways = waysOf(rows, axis)
  const slow = ways.flatMap((way) => slowWayOf(way, axis, ways.length))
  return slow.map((way) => ({ ...way, serviceName: endAtFault(way, slow, ways) }))
}

function waysOf(rows: CallGaps[], axis: MinuteAxis): Way[] {
  const groups = groupedBy(rows, ({ sourceName, targetName }) => `${sourceName}\n${targetName}`)
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const minutes = own.flatMap(({ minuteNs, gapsNs, traceId }) => {
      const minute = indexOn(axis, minuteNs)
      return minute === undefined ? [] : [{ minute, gapsMs: gapsNs.map((ns) => ns / 1e6), traceId }]
    })
    return [{ sourceName: first.sourceName, targetName: first.targetName, minutes }]
  })
}

function slowWayOf({ sourceName, targetName, minutes }: Way, axis: MinuteAxis, comparisons: number): SlowWay[] {
  const usualMs = quantileOf(
    minutes.flatMap(({ gapsMs }) => gapsMs),
    USUAL_QUANTILE,
  )
  const longMs = LONG_FACTOR * usualMs + ADDED_MS_MIN
  const parts = new Array<number>(axis.length).fill(0)
  const wholes = new Array<number>(axis.length).fill(0)
  for (const { minute, gapsMs } of minutes) {
    parts[minute] = gapsMs.filter((gap) => gap > longMs).length
    wholes[minute] = gapsMs.length
  }
  const rise = strongestRise({ parts, wholes }, LIMITS)
  if (rise === undefined || rise.from === 0 || !isLasting(rise, axis, wholes)) return []
  const calm = calmMinutes(axis.length, [rise])
  const pValue = chanceOfRise({ parts, wholes }, rise, calm) * comparisons
  const isIn = (minute: number) => minute >= rise.from && minute < rise.to
  const during = minutes.filter(({ minute }) => isIn(minute))
  const before = minutes.filter(({ minute }) => calm.includes(minute))
  const gapsOf = (some: Way['minutes']) => some.flatMap(({ gapsMs }) => gapsMs)
  const [beforeMs, duringMs] = [quantileOf(gapsOf(before), 0.5), quantileOf(gapsOf(during), 0.5)]
  const long = shareOver(parts, wholes, isIn)
  if (pValue >= P_VALUE_BELOW || long.part < LONG_SHARE_MIN * long.whole || duringMs < 2 * beforeMs) return []
  return [
    {
      ...{ sourceName, targetName, serviceName: targetName, episode: { from: rise.from, to: rise.to } },
      onsetNs: onsetOf(axis, rise, (minute) => [parts[minute] ?? 0, wholes[minute] ?? 0]),
      ...{ beforeMs, duringMs, before: gapsOf(before).length, during: gapsOf(during).length, long: long.part, pValue },
      traceId: during.at(-1)?.traceId ?? '',
    },
  ]
}

/**
 * The callee, unless what the caller sends out is slow for a larger part than what the callee is sent. Only ways on which there
 * was something to see in the meantime count.
 */
function endAtFault({ sourceName, targetName, episode }: SlowWay, slow: SlowWay[], ways: Way[]): string {
  const isBusy = ({ minutes }: Way) => minutes.some(({ minute }) => minute >= episode.from && minute < episode.to)
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

function quantileOf(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}
