import type { WindowTime } from './filled-window.ts'
import type { LoadOptions } from './load-options.ts'

const NS_PER_MS = 1_000_000
/** How long ago spans ended when an exporter sends them. */
const AGE_MS = 1_000

/** Spans of the present, or of a range in the past that they fill evenly. */
export function windowTimes(options: LoadOptions): (spansBefore: number, spansInWindow: number) => WindowTime {
  const { range, spansMax, spansPerSecond } = options
  if (!range)
    return (_before, spansInWindow) => {
      const lengthMs = (spansInWindow / (spansPerSecond ?? 100_000)) * 1000
      return at(Date.now() - AGE_MS - lengthMs, lengthMs)
    }
  if (spansMax === undefined) throw new Error('a range needs to know how many spans fill it')
  return (before, spansInWindow) => {
    const endMs = range.endMs ?? Date.now() - AGE_MS
    const msPerSpan = (endMs - range.startMs) / spansMax
    const startMs = Math.min(range.startMs + before * msPerSpan, endMs)
    return at(startMs, Math.min(spansInWindow * msPerSpan, endMs - startMs))
  }
}

function at(startMs: number, lengthMs: number): WindowTime {
  return { baseNs: BigInt(Math.floor(startMs)) * BigInt(NS_PER_MS), lengthNs: lengthMs * NS_PER_MS }
}
