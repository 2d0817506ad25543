import type { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { ExportOutcome } from '../ingest.ts'
import type { DecodeLimits } from './limits.ts'
import { RequestWalk, requestShape } from './request-walk.ts'
import { SpanDecoder } from './span-decoder.ts'
import { Tally } from './tally.ts'

const REQUEST = requestShape('ExportTraceServiceRequest', 'ResourceSpans', 'ScopeSpans', 'spans')

/**
 * Decodes an ExportTraceServiceRequest into `out`, which is cleared first. Spans that cannot be stored are left out and
 * counted. Throws a `MalformedRequest` for bytes that are no such message; what `out` holds then is of no use.
 */
export function decodeTraces(body: Uint8Array, limits: DecodeLimits, out: SpanColumns): ExportOutcome {
  out.clear()
  const tally = new Tally('span')
  const walk = new RequestWalk(body, REQUEST, tally)
  const spans = new SpanDecoder(walk, limits, tally, out)
  walk.each(() => spans.decode())
  return tally.outcome()
}
