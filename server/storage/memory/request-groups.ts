import type { ApdexThresholds } from '../../domain/apdex.ts'
import { bucketedLatencies, type Latencies, mergedLatencies, NO_LATENCIES } from '../../domain/latencies.ts'
import type { Span } from '../../domain/span.ts'
import type { RequestGroup, RequestQuestion, RequestSums } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import type { GridRows } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { requestSpans } from './request-spans.ts'
import { stepOf } from './time-units.ts'

type Labels = Pick<RequestGroup, 'serviceName' | 'operationName' | 'kind' | 'minuteNs'>

export function requestGroups(
  { spans }: GridRows,
  { window, by, stepMinutes = 1, serviceName, operationName, kind, latencies }: RequestQuestion,
  thresholds: ApdexThresholds,
): RequestGroup[] {
  const requests = requestSpans(spans, window).filter(
    (span) =>
      (serviceName ?? span.serviceName) === span.serviceName &&
      (operationName ?? span.operationName) === span.operationName &&
      (kind ?? span.kind) === span.kind,
  )
  const groups = groupedBy(requests, (span) => keyOf(labelsOf(span, by, stepMinutes)))
  return [...groups.values()].map((own) => ({
    ...labelsOf(own[0] as Span, by, stepMinutes),
    ...sumsOf(own, thresholds),
    latencies: latencies ? latenciesOf(own, by.includes('minute')) : structuredClone(NO_LATENCIES),
  }))
}

function labelsOf(span: Span, by: RequestQuestion['by'], stepMinutes: number): Labels {
  return {
    serviceName: by.includes('service') ? span.serviceName : '',
    operationName: by.includes('operation') ? span.operationName : '',
    kind: by.includes('kind') ? span.kind : 'INTERNAL',
    minuteNs: by.includes('minute') ? stepOf(span.startNs, stepMinutes) : 0n,
  }
}

function keyOf({ serviceName, operationName, kind, minuteNs }: Labels): string {
  return JSON.stringify([serviceName, operationName, kind, String(minuteNs)])
}

/** Each request is judged by the threshold of its own service, whatever else is in the group. */
export function sumsOf(requests: Span[], thresholds: ApdexThresholds): RequestSums {
  const fine = requests.filter((span) => span.status !== 'ERROR')
  const satisfied = fine.filter((span) => span.durationNs <= thresholdNs(span, thresholds))
  const notFrustrated = fine.filter((span) => span.durationNs <= 4n * thresholdNs(span, thresholds))
  return {
    requestCount: requests.length,
    errorCount: requests.length - fine.length,
    durationNsSum: requests.reduce((sum, span) => sum + span.durationNs, 0n),
    satisfiedCount: satisfied.length,
    toleratingCount: notFrustrated.length - satisfied.length,
  }
}

function thresholdNs({ serviceName }: Span, { defaultMs, byService }: ApdexThresholds): bigint {
  const thresholdMs = Object.hasOwn(byService, serviceName) ? (byService[serviceName] as number) : defaultMs
  return BigInt(Math.round(thresholdMs * 1e6))
}

function latenciesOf(requests: Span[], ofMinute: boolean): Latencies {
  const exactNs = requests.map((span) => Number(span.durationNs)).toSorted(ascending)
  const exact = [{ exactNs, buckets: [], counts: [] }]
  return ofMinute ? bucketedLatencies(exact) : mergedLatencies(exact)
}
