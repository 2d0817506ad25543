import { apdexOf } from '../domain/apdex.ts'
import type { RequestSums } from '../storage/diagnostics-reader.ts'

/** What answers say of a number of requests, not rounded. */
export interface RequestFigures {
  requestCount: number
  /** Percent. */
  errorRate: number
  avgLatencyMs: number
  apdex: number
}

export function figuresOf(sums: RequestSums): RequestFigures {
  const { requestCount, satisfiedCount, toleratingCount } = sums
  const { errorRate, avgLatencyMs } = callFiguresOf(sums)
  return { requestCount, errorRate, avgLatencyMs, apdex: apdexOf(satisfiedCount, toleratingCount, requestCount) }
}

/** The same for calls, of which nobody counts who was satisfied. */
export function callFiguresOf({ requestCount, errorCount, durationNsSum }: CallSums): Omit<RequestFigures, 'apdex'> {
  const share = (value: number) => (requestCount === 0 ? 0 : value / requestCount)
  return { requestCount, errorRate: share(errorCount * 100), avgLatencyMs: share(Number(durationNsSum)) / 1e6 }
}

export type CallSums = Pick<RequestSums, 'requestCount' | 'errorCount' | 'durationNsSum'>

export function sumOfCalls(calls: CallSums[]): CallSums {
  const sum = { requestCount: 0, errorCount: 0, durationNsSum: 0n }
  for (const { requestCount, errorCount, durationNsSum } of calls) {
    sum.requestCount += requestCount
    sum.errorCount += errorCount
    sum.durationNsSum += durationNsSum
  }
  return sum
}

export function sumOfRequests(groups: RequestSums[]): RequestSums {
  const sum = { ...sumOfCalls(groups), satisfiedCount: 0, toleratingCount: 0 }
  for (const { satisfiedCount, toleratingCount } of groups) {
    sum.satisfiedCount += satisfiedCount
    sum.toleratingCount += toleratingCount
  }
  return sum
}
