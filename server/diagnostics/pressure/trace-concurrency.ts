import type { Edge } from '../../storage/diagnostics-reader.ts'
import { hasPiledUp } from './growth.ts'
import { MINUTE_NS, type MinuteSums, type RequestMinute } from './request-minutes.ts'
import type { Saturation } from './saturation.ts'

export interface EdgeMinute extends MinuteSums, Pick<Edge, 'targetName' | 'kind'> {}

const MINUTES = 5n
const MINUTE_MS = 60_000
const REQUESTS_MIN = 30
/** Fewer than this at once have no ceiling worth the name. */
const HEIGHT_MIN = 2
/** How much the height may vary and still be a ceiling. */
const FLATNESS = 0.9

interface Minute {
  minuteNs: bigint
  /** How many were in work at once, on average. */
  height: number
  /** How many callers waited to be let in, on average. */
  waiting: number
}

/**
 * Services whose requests in work have stayed below a ceiling for the last five whole minutes while ever more callers wait.
 * Both are estimates by Little's law: requests in a minute times their average duration are the requests in work at once;
 * what callers saw of a call beyond the time that the service itself worked on it is time spent waiting (and on the way).
 */
export function concurrencySaturations(
  requests: readonly RequestMinute[],
  edges: readonly EdgeMinute[],
  atNs: bigint,
): Saturation[] {
  const endNs = atNs - (atNs % MINUTE_NS)
  const startNs = endNs - MINUTES * MINUTE_NS
  const inTime = ({ minuteNs }: { minuteNs: bigint }): boolean => minuteNs >= startNs && minuteNs < endNs
  const served = sums(requests.filter(inTime), ({ serviceName }) => serviceName)
  const called = sums(
    edges.filter((edge) => inTime(edge) && edge.kind === 'CLIENT'),
    ({ targetName }) => targetName,
  )
  return [...served].flatMap(([serviceName, byMinute]) => {
    const minutes = minutesOf(byMinute, called.get(serviceName) ?? new Map())
    return isAtCeiling(minutes) ? [saturationOf(serviceName, minutes)] : []
  })
}

type Sums = Pick<MinuteSums, 'requestCount' | 'durationMs'>

function sums<Row extends MinuteSums>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Map<string, Map<bigint, Sums>> {
  const byName = new Map<string, Map<bigint, Sums>>()
  for (const row of rows) {
    const byMinute = byName.get(nameOf(row)) ?? new Map<bigint, Sums>()
    byName.set(nameOf(row), byMinute)
    const sum = byMinute.get(row.minuteNs) ?? { requestCount: 0, durationMs: 0 }
    byMinute.set(row.minuteNs, sum)
    sum.requestCount += row.requestCount
    sum.durationMs += row.durationMs
  }
  return byName
}

/** Minutes without enough requests, or without a caller to ask, are left out; so then there are too few. */
function minutesOf(served: Map<bigint, Sums>, called: Map<bigint, Sums>): Minute[] {
  return [...served]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([minuteNs, { requestCount, durationMs }]) => {
      const seen = called.get(minuteNs)
      if (requestCount < REQUESTS_MIN || seen === undefined || seen.requestCount === 0) return []
      const waitMs = Math.max(0, seen.durationMs / seen.requestCount - durationMs / requestCount)
      return [{ minuteNs, height: durationMs / MINUTE_MS, waiting: (waitMs * requestCount) / MINUTE_MS }]
    })
}

function isAtCeiling(minutes: readonly Minute[]): boolean {
  if (minutes.length < Number(MINUTES)) return false
  const heights = minutes.map(({ height }) => height)
  const waiting = minutes.map((minute) => minute.waiting)
  const ceiling = Math.max(...heights)
  const isFlat = ceiling >= HEIGHT_MIN && Math.min(...heights) >= FLATNESS * ceiling
  const goesOn = (waiting.at(-1) ?? 0) >= 1.2 * (waiting.at(-2) ?? 0)
  return isFlat && goesOn && hasPiledUp(waiting, 1)
}

function saturationOf(serviceName: string, minutes: readonly Minute[]): Saturation {
  const ceiling = Math.max(...minutes.map(({ height }) => height))
  const last = minutes.at(-1)
  return {
    type: 'concurrency',
    serviceName,
    instance: '',
    instanceLabel: '',
    resource: 'requests',
    severity: 'critical',
    onsetNs: minutes[0]?.minuteNs ?? 0n,
    lastNs: (last?.minuteNs ?? 0n) + MINUTE_NS,
    isLasting: true,
    utilization: ((last?.height ?? 0) / ceiling) * 100,
    capacity: Math.ceil(ceiling),
    queueDepth: last?.waiting ?? 0,
    sampleCount: minutes.length,
    ofHost: false,
  }
}
