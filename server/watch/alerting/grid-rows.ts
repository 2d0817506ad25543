import type { RuleNeeds } from '../../diagnostics/alerts/rule-needs.ts'
import type { GridRows } from '../../diagnostics/alerts/service-series.ts'
import { type TimeWindow, windowOfMs } from '../../domain/time-window.ts'
import type { DiagnosticsReader, RequestGroup } from '../../storage/diagnostics-reader.ts'

const MS_PER_MINUTE = 60_000
/** Of stored metrics; of more than this the oldest are left out. */
const POINTS_MAX = 20_000

/** All that the rules of a Grid judge by, each minute of it asked for once. */
export async function gridRows(reader: DiagnosticsReader, needs: RuleNeeds, nowMs: number): Promise<GridRows> {
  const startMs = (minutes: number) => (Math.floor(nowMs / MS_PER_MINUTE) - minutes) * MS_PER_MINUTE
  const last = (minutes: number) => windowOfMs(startMs(minutes), nowMs)
  const { requestMinutes, latencyMinutes, logMinutes, metricMinutes, metricNames } = needs
  const earlier =
    latencyMinutes === 0 ? last(requestMinutes) : windowOfMs(startMs(requestMinutes), startMs(latencyMinutes))
  const [recentRequests, earlierRequests, logCounts, points] = await Promise.all([
    latencyMinutes === 0 ? [] : minuteRequests(reader, last(latencyMinutes), true),
    requestMinutes <= latencyMinutes ? [] : minuteRequests(reader, earlier, false),
    logMinutes === 0 ? [] : reader.logCounts(last(logMinutes)),
    metricMinutes === 0 ? [] : reader.pointsOf(metricNames, last(metricMinutes), POINTS_MAX),
  ])
  return { requests: [...earlierRequests, ...recentRequests], logCounts, points }
}

function minuteRequests(reader: DiagnosticsReader, window: TimeWindow, latencies: boolean): Promise<RequestGroup[]> {
  return reader.requests({ window, by: ['service', 'minute'], latencies })
}
