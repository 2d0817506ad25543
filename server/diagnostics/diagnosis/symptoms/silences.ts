import type { Episode, MinuteAxis } from '../series/minute-axis.ts'
import type { OperationSeries } from '../series/minute-series.ts'

/** A service that is asked nothing any more. */
export interface Silence {
  serviceName: string
  episode: Episode
  /** Before it fell silent. */
  requestsPerMinute: number
}

/** So many requests were due in the silence: with 20 due, none coming by chance is one in five hundred million. */
const DUE_MIN = 20
/** A service that pauses now and then is silent only when it pauses much longer than it is used to. */
const USUAL_PAUSE_FACTOR = 2

/** Services that had requests, and for too long a stretch of the window, up to its end, none. */
export function silences(services: OperationSeries[], axis: MinuteAxis): Silence[] {
  return services.flatMap(({ serviceName, requests }) => {
    const last = requests.findLastIndex((count) => count > 0)
    const from = last + 1
    const heardMinutes = coveredIn(axis, { from: 0, to: from })
    if (from < axis.currentFrom || from >= axis.length || heardMinutes === 0) return []
    const requestsPerMinute = requests.reduce((sum, count) => sum + count, 0) / heardMinutes
    const episode = { from, to: axis.length }
    const silentMinutes = coveredIn(axis, episode)
    const isLong = silentMinutes > USUAL_PAUSE_FACTOR * longestPause(requests.slice(0, from))
    return isLong && requestsPerMinute * silentMinutes >= DUE_MIN ? [{ serviceName, episode, requestsPerMinute }] : []
  })
}

function coveredIn({ covered }: MinuteAxis, { from, to }: Episode): number {
  return covered.slice(from, to).reduce((sum, share) => sum + share, 0)
}

function longestPause(requests: number[]): number {
  let longest = 0
  let pause = 0
  // What precedes its first request is not a pause.
  for (const count of requests.slice(requests.findIndex((count) => count > 0))) {
    pause = count === 0 ? pause + 1 : 0
    longest = Math.max(longest, pause)
  }
  return longest
}
