import type { Signal } from '../../../server/ingest/ingest.ts'
import type { Export } from './incident.ts'

const RECORDS_OF: Record<Signal, string> = { traces: 'resourceSpans', logs: 'resourceLogs', metrics: 'resourceMetrics' }
const BATCH_CHARACTERS = 2_000_000

/** Requests of one line each, put together to requests of a good size, in the same order. */
export function* batched(signal: Signal, lines: Iterable<string>): Generator<Export> {
  const head = `{"${RECORDS_OF[signal]}":[`
  let inner: string[] = []
  let length = 0
  const batch = (): Export => ({ signal, body: `${head}${inner.join(',')}]}` })
  for (const line of lines) {
    const records = recordsIn(line, head)
    if (records === undefined) {
      yield { signal, body: line }
      continue
    }
    if (length + records.length > BATCH_CHARACTERS && inner.length > 0) {
      yield batch()
      inner = []
      length = 0
    }
    inner.push(records)
    length += records.length
  }
  if (inner.length > 0) yield batch()
}

/** Undefined for a request that is written in another way, which then travels alone. */
function recordsIn(line: string, head: string): string | undefined {
  const isUsual = line.startsWith(head) && line.endsWith(']}') && line.length > head.length + 2
  return isUsual ? line.slice(head.length, -2) : undefined
}
