import { PROBE_SERVICE, type ProbeBatch, type ProbeSpan } from './probe-batch.ts'

export interface ReadSpan {
  spanId: string
  parentSpanId: string | null
  serviceName: string
  operationName: string
}

/** What is wrong with an acknowledged batch as it was read back, in numbers of spans. */
export interface Differences {
  missing: number
  /** Read more often than once, or never sent. */
  surplus: number
  altered: number
}

export function compare({ spans }: ProbeBatch, read: readonly ReadSpan[]): Differences {
  const found = new Map(read.map((span) => [span.spanId, span]))
  const present = spans.filter(({ spanId }) => found.has(spanId))
  const altered = present.filter((span) => !isAsSent(span, found.get(span.spanId)))
  return { missing: spans.length - present.length, surplus: read.length - present.length, altered: altered.length }
}

function isAsSent(sent: ProbeSpan, read: ReadSpan | undefined): boolean {
  return (
    read?.parentSpanId === sent.parentSpanId && read.operationName === sent.name && read.serviceName === PROBE_SERVICE
  )
}
