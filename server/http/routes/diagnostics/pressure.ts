import { FRESH_NS } from '../../../diagnostics/pressure/group-samples.ts'
import { PRESSURE_METRICS } from '../../../diagnostics/pressure/metric-index.ts'
import { type PressureFacts, pressurePoints, recentMetrics } from '../../../diagnostics/pressure/pressure-points.ts'
import { MINUTE_NS, minutesOfSeries, type RequestMinute } from '../../../diagnostics/pressure/request-minutes.ts'
import type { EdgeMinute } from '../../../diagnostics/pressure/trace-concurrency.ts'
import type { Failures } from '../../../domain/failures.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import { READS } from '../../access.ts'
import { storableWindow } from '../../datetime.ts'
import type { Routes } from '../../endpoint.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import * as schema from '../../schemas/diagnostics/pressure.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

/** The newest ones. They are judged at one go, which is not to hold up others for long. */
const POINTS_READ_MAX = 100_000
const FAILURES_READ_MAX = 20_000
/** Those with the most requests. */
const SERIES_MAX = 10_000
/** How far back the requests of each minute are read, to date the start of failures. */
const MINUTES_READ_MAX = 60n

export function registerPressure({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/pressure`,
      summary: 'Get what is at its limit',
      description:
        'From metrics by the OpenTelemetry semantic conventions, current and former: the newest value of each series, at most 5 minutes old. `warning` from 80 % of the limit, `critical` from 95 % or with a growing queue; where no limit is known, a backlog that piles up. Where a service has no such metric, from its traces: requests at a ceiling while ever more wait, answers that refuse (429, 503, `RESOURCE_EXHAUSTED`), and exceptions of exhausted pools.',
      query: momentQuery,
      response: schema.pressure,
    },
    async ({ reader, query, nowMs }) => {
      const { atNs, current } = momentOf(query, nowMs)
      const recent = storableWindow({ startNs: atNs - FRESH_NS, endNs: atNs })
      const minutes = wholeMinutes(current, atNs)
      const [metrics, failed, requests, edges] = await Promise.all([
        metricsOf(reader, current, recent),
        reader.failures(recent, undefined, FAILURES_READ_MAX),
        requestMinutes(reader, minutes),
        edgeMinutes(reader, lastOf(minutes, 5n)),
      ])
      const failures = { failures: failed, asked: recent, window: completeWindow(recent, failed), requests }
      return { pressurePoints: pressurePoints({ window: current, ...metrics, failures, edges }) }
    },
  )
}

/** All points of the last five minutes, and before them only those of what is under pressure now. */
async function metricsOf(
  reader: DiagnosticsReader,
  window: TimeWindow,
  recent: TimeWindow,
): Promise<Pick<PressureFacts, 'metrics' | 'earlierPoints'>> {
  const points = await reader.pointsOf([...PRESSURE_METRICS], recent, POINTS_READ_MAX)
  const metrics = recentMetrics(points, recent.endNs)
  const names = [...metrics.underPressure]
  if (names.length === 0 || window.startNs >= recent.startNs) return { metrics, earlierPoints: [] }
  const earlier = { startNs: window.startNs, endNs: recent.startNs }
  return { metrics, earlierPoints: await reader.pointsOf(names, earlier, POINTS_READ_MAX) }
}

async function requestMinutes(reader: DiagnosticsReader, window: TimeWindow): Promise<RequestMinute[]> {
  const services = await reader.requestSeries(window, 'service', SERIES_MAX)
  return services.flatMap(({ serviceName, ...figures }) =>
    minutesOfSeries(figures, window.startNs).map((minute) => ({ serviceName, ...minute })),
  )
}

async function edgeMinutes(reader: DiagnosticsReader, window: TimeWindow): Promise<EdgeMinute[]> {
  const edges = await reader.edgeSeries(window, SERIES_MAX)
  return edges.flatMap(({ targetName, kind, ...figures }) =>
    minutesOfSeries(figures, window.startNs).map((minute) => ({ targetName, kind, ...minute })),
  )
}

/** Whole minutes are read from sums, without a look at single spans. */
function wholeMinutes({ startNs }: TimeWindow, atNs: bigint): TimeWindow {
  const endNs = atNs - (atNs % MINUTE_NS)
  const earliestNs = endNs - MINUTES_READ_MAX * MINUTE_NS
  const latestNs = endNs - 5n * MINUTE_NS
  const wantedNs = startNs - (startNs % MINUTE_NS)
  const fromNs = wantedNs < earliestNs ? earliestNs : wantedNs > latestNs ? latestNs : wantedNs
  return storableWindow({ startNs: fromNs, endNs })
}

function lastOf({ endNs }: TimeWindow, minutes: bigint): TimeWindow {
  return storableWindow({ startNs: endNs - minutes * MINUTE_NS, endNs })
}

/** The newest failed spans, where there are more than were read, tell nothing of the time before the oldest of them. */
function completeWindow({ startNs, endNs }: TimeWindow, { count, startsNs }: Failures): TimeWindow {
  if (count < FAILURES_READ_MAX) return { startNs, endNs }
  return { startNs: startNs + BigInt(startsNs.reduce((least, ns) => Math.min(least, ns))), endNs }
}
