import { minutesOf, type TimeWindow } from '../../domain/time-window.ts'
import type { EdgeSeries, MinuteFigures, RequestGroup, RequestSeries, RequestSums } from '../diagnostics-reader.ts'
import type { MinuteEdge } from './edges.ts'
import { groupedBy } from './grouped-by.ts'
import { minutesBetween } from './time-units.ts'

/** Of groups that are told apart by minute. */
export function requestSeries(groups: RequestGroup[], window: TimeWindow, limit: number): RequestSeries[] {
  const series = groupedBy(groups, ({ serviceName, operationName }) => JSON.stringify([serviceName, operationName]))
  return busiest([...series.values()], limit).map((minutes) => {
    const { serviceName, operationName } = minutes[0] as RequestGroup
    const contentOf = ({ satisfiedCount, toleratingCount }: RequestGroup) => satisfiedCount + toleratingCount / 2
    return { serviceName, operationName, ...figuresOf(minutes, window), content: byMinute(minutes, window, contentOf) }
  })
}

/** Of edges that are told apart by minute. */
export function edgeSeries(edges: MinuteEdge[], window: TimeWindow, limit: number): EdgeSeries[] {
  const series = groupedBy(edges, ({ sourceName, targetName, kind }) => JSON.stringify([sourceName, targetName, kind]))
  return busiest([...series.values()], limit).map((minutes) => {
    const { sourceName, targetName, targetIsService, kind } = minutes[0] as MinuteEdge
    const unansweredErrors = byMinute(minutes, window, ({ unansweredErrorCount }) => unansweredErrorCount)
    return { sourceName, targetName, targetIsService, kind, ...figuresOf(minutes, window), unansweredErrors }
  })
}

type OfMinute = Pick<RequestSums, 'requestCount' | 'errorCount' | 'durationNsSum'> & { minuteNs: bigint }

function busiest<T extends OfMinute>(series: T[][], limit: number): T[][] {
  const countOf = (minutes: T[]) => minutes.reduce((sum, { requestCount }) => sum + requestCount, 0)
  return series.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, limit)
}

function figuresOf(minutes: OfMinute[], window: TimeWindow): MinuteFigures {
  return {
    requests: byMinute(minutes, window, ({ requestCount }) => requestCount),
    errors: byMinute(minutes, window, ({ errorCount }) => errorCount),
    durationMs: byMinute(minutes, window, ({ durationNsSum }) => Number(durationNsSum) / 1e6),
  }
}

function byMinute<T extends OfMinute>(minutes: T[], window: TimeWindow, figureOf: (minute: T) => number): Float64Array {
  const { startNs, count } = minutesOf(window)
  const figures = new Float64Array(count)
  for (const minute of minutes) figures[minutesBetween(startNs, minute.minuteNs)] = figureOf(minute)
  return figures
}
