import type { TimeWindow } from '../../../domain/time-window.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import { PRESSURE_METRICS } from '../../pressure/metric-index.ts'
import { type Saturation, saturations } from '../../pressure/saturation.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'

const POINTS_MAX = 60_000
/** How far before the trouble a limit may have been reached. */
const BEFORE_MINUTES = 3n
const MINUTES_MAX = 15n

/** What was at its limit in a stretch of trouble. What was so all along, and not wholly, belongs to the calm as well. */
export async function gatherSaturations(reader: DiagnosticsReader, trouble: TimeWindow): Promise<Saturation[]> {
  const earliestNs = trouble.endNs - MINUTES_MAX * NS_PER_MINUTE
  const fromNs = trouble.startNs - BEFORE_MINUTES * NS_PER_MINUTE
  const window = { startNs: fromNs > earliestNs ? fromNs : earliestNs, endNs: trouble.endNs }
  const points = await reader.pointsOf([...PRESSURE_METRICS], window, POINTS_MAX)
  const isNew = ({ onsetNs }: Saturation) => onsetNs > window.startNs + NS_PER_MINUTE
  return saturations(points, window).filter((found) => isNew(found) || found.severity === 'critical')
}
