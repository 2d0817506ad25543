import type { TimeWindow } from '../../../domain/time-window.ts'
import type { TelemetryReader } from '../../../storage/telemetry-store.ts'
import type { Windows } from '../../windows.ts'
import type { Overview, RecordedChange } from '../facts.ts'
import { createMinuteAxis, minuteOf } from '../series/minute-axis.ts'
import { edgeSeries, operationSeries, serviceSeries } from '../series/minute-series.ts'

/** Operations, and edges, beyond so many have hardly any requests each. */
const SERIES_MAX = 10_000

/** Where facts come from. */
export interface FactSources {
  reader: TelemetryReader
  changes(window: TimeWindow): Promise<RecordedChange[]>
}

/** Undefined where nothing was ever sent before the window's end. */
export async function gatherOverview(
  { reader, changes }: FactSources,
  { baseline, current }: Windows,
): Promise<Overview | undefined> {
  // From a whole minute on, so that sums of minutes answer it without a look at single spans.
  const whole = { startNs: minuteOf(baseline.startNs), endNs: current.endNs }
  const [firstSpanNs, requests, edges, logs, recorded] = await Promise.all([
    reader.firstSpanNs(),
    reader.requestSeries(whole, 'operation', SERIES_MAX),
    reader.edgeSeries(whole, SERIES_MAX),
    reader.logCounts(whole),
    changes(whole),
  ])
  if (firstSpanNs === undefined || firstSpanNs >= current.endNs) return undefined
  const axis = createMinuteAxis({ startNs: whole.startNs, endNs: current.startNs }, current, firstSpanNs)
  const operations = operationSeries(requests, axis)
  return {
    axis,
    operations,
    services: serviceSeries(operations, axis),
    edges: edgeSeries(edges, axis),
    logs,
    changes: recorded,
  }
}
