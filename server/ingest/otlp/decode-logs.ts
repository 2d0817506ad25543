import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { ExportOutcome } from '../ingest.ts'
import type { DecodeLimits } from './limits.ts'
import { LogDecoder } from './log-decoder.ts'
import { RequestWalk, requestShape } from './request-walk.ts'
import { Tally } from './tally.ts'

const REQUEST = requestShape('ExportLogsServiceRequest', 'ResourceLogs', 'ScopeLogs', 'log_records')

/** Decodes an ExportLogsServiceRequest; what `decodeTraces` promises holds here too. */
export function decodeLogs(body: Uint8Array, limits: DecodeLimits, out: LogColumns): ExportOutcome {
  out.clear()
  const tally = new Tally('log record')
  const walk = new RequestWalk(body, REQUEST, tally)
  const logs = new LogDecoder(walk, limits, tally, out)
  walk.each(() => logs.decode())
  return tally.outcome()
}
