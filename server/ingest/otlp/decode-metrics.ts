import type { MetricPoint } from '../../domain/metric-point.ts'
import type { ExportOutcome } from '../ingest.ts'
import type { DecodeLimits } from './limits.ts'
import { MetricDecoder } from './metric-decoder.ts'
import { RequestWalk, requestShape } from './request-walk.ts'
import { Tally } from './tally.ts'

const REQUEST = requestShape('ExportMetricsServiceRequest', 'ResourceMetrics', 'ScopeMetrics', 'metrics')

/** Decodes an ExportMetricsServiceRequest; what `decodeTraces` promises holds here too. Exemplars are passed over. */
export function decodeMetrics(
  body: Uint8Array,
  limits: DecodeLimits,
): { points: MetricPoint[]; outcome: ExportOutcome } {
  const tally = new Tally('data point')
  const walk = new RequestWalk(body, REQUEST, tally)
  const metrics = new MetricDecoder(walk, limits, tally)
  walk.each(() => metrics.decode())
  return { points: metrics.points, outcome: tally.outcome() }
}
