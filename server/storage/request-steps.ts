import { percentilesMs } from '../domain/latencies.ts'
import { SPAN_KINDS, type SpanKind } from '../domain/span.ts'
import { type RequestStep, type RequestStepQuestion, SERVICE_NAME, SPAN_KIND, SPAN_NAME } from './chart-reader.ts'
import type { RequestGroup, RequestKey, RequestQuestion } from './diagnostics-reader.ts'

/** What a step tells of how long its requests took. */
export const STEP_PERCENTS = [50, 95, 99]

const KEYS: Record<string, RequestKey> = { [SERVICE_NAME]: 'service', [SPAN_NAME]: 'operation', [SPAN_KIND]: 'kind' }

/**
 * The same question about requests, where it names nothing but what their sums are by. Undefined where it names other
 * attributes; `nothing` where no request can be like that.
 */
export function questionOfSums(question: RequestStepQuestion): RequestQuestion | 'nothing' | undefined {
  const { window, stepMinutes, percentiles, groupBy, filter } = question
  const key = groupBy === '' ? [] : KEYS[groupBy]
  if (key === undefined || Object.keys(filter).some((name) => !Object.hasOwn(KEYS, name))) return undefined
  const services = new Set([question.serviceName, filter[SERVICE_NAME]].filter((name) => name !== undefined))
  const kind = filter[SPAN_KIND]
  if (services.size > 1 || (kind !== undefined && !isSpanKind(kind))) return 'nothing'
  const [serviceName] = services
  const operationName = filter[SPAN_NAME]
  return {
    window,
    by: ['minute', ...(Array.isArray(key) ? key : [key])],
    stepMinutes,
    latencies: percentiles,
    ...(serviceName !== undefined && { serviceName }),
    ...(operationName !== undefined && { operationName }),
    ...(kind !== undefined && { kind }),
  }
}

export function stepOfGroup(group: RequestGroup, groupBy: string): RequestStep {
  const { requestCount, errorCount, durationNsSum, satisfiedCount, toleratingCount, latencies } = group
  const [p50Ms = 0, p95Ms = 0, p99Ms = 0] = percentilesMs(latencies, STEP_PERCENTS)
  return {
    group: groupOf(group, groupBy),
    stepNs: group.minuteNs,
    requestCount,
    errorCount,
    durationNsSum,
    satisfiedCount,
    toleratingCount,
    p50Ms,
    p95Ms,
    p99Ms,
  }
}

/** What tells a group of requests apart. */
export function groupOf(
  { serviceName, operationName, kind }: Pick<RequestGroup, 'serviceName' | 'operationName' | 'kind'>,
  groupBy: string,
): string {
  if (groupBy === SERVICE_NAME) return serviceName
  if (groupBy === SPAN_NAME) return operationName
  return groupBy === SPAN_KIND ? kind : ''
}

function isSpanKind(text: string): text is SpanKind {
  return (SPAN_KINDS as readonly string[]).includes(text)
}
