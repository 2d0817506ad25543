import type { ApdexThresholds } from '../../domain/apdex.ts'
import type { Attributes } from '../../domain/attributes.ts'
import { bucketedLatencies } from '../../domain/latencies.ts'
import { type LogRecord, severityLevelOf } from '../../domain/log-record.ts'
import type { Span } from '../../domain/span.ts'
import {
  type ChartReader,
  type LogStep,
  type RequestStep,
  type RequestStepQuestion,
  SERVICE_NAME,
  SEVERITY,
  SPAN_KIND,
  SPAN_NAME,
  type StepQuestion,
} from '../chart-reader.ts'
import { stepOfGroup } from '../request-steps.ts'
import type { GridRows } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { metricSteps, metricTraits } from './metric-steps.ts'
import { sumsOf } from './request-groups.ts'
import { requestSpans } from './request-spans.ts'
import { stepOf } from './time-units.ts'
import { textOf } from './trace-search.ts'

export function createChartAnswers(rows: () => GridRows, thresholds: () => ApdexThresholds): ChartReader {
  return {
    async requestSteps(question) {
      return requestSteps(rows(), question, thresholds())
    },
    async logSteps(question) {
      return logSteps([...rows().logs.values()], question)
    },
    async metricTraits(name, window) {
      return metricTraits([...rows().points.values()], name, window)
    },
    async metricSteps(question) {
      return metricSteps([...rows().points.values()], question, textOfAttribute)
    },
  }
}

function requestSteps({ spans }: GridRows, question: RequestStepQuestion, thresholds: ApdexThresholds): RequestStep[] {
  const steps = inSteps(requestSpans(spans, question.window), question, (span) => span.startNs, textOfSpan)
  return steps.map(({ group, stepNs, records }) => {
    const exactNs = records.map((span) => Number(span.durationNs))
    const latencies = bucketedLatencies(question.percentiles ? [{ exactNs, buckets: [], counts: [] }] : [])
    const labels = { serviceName: group, operationName: group, kind: 'INTERNAL', minuteNs: stepNs } as const
    return { ...stepOfGroup({ ...labels, ...sumsOf(records, thresholds), latencies }, ''), group }
  })
}

function logSteps(logs: LogRecord[], question: StepQuestion): LogStep[] {
  const { startNs, endNs } = question.window
  const own = logs.filter((log) => startNs <= log.timeNs && log.timeNs < endNs)
  const steps = inSteps(own, question, (log) => log.timeNs, textOfLog)
  return steps.map(({ group, stepNs, records }) => ({ group, stepNs, recordCount: records.length }))
}

interface RecordStep<Row> {
  group: string
  stepNs: bigint
  records: Row[]
}

interface Origin {
  serviceName: string
  attributes: Attributes
  resource: Attributes
}

/** Records that are asked for, by group and step. */
function inSteps<Row extends Origin>(
  rows: Row[],
  { stepMinutes, serviceName, filter, groupBy }: StepQuestion,
  timeOf: (row: Row) => bigint,
  text: (row: Row, key: string) => string | undefined,
): RecordStep<Row>[] {
  const own = rows.filter(
    (row) =>
      (serviceName ?? row.serviceName) === row.serviceName &&
      Object.entries(filter).every(([key, value]) => text(row, key) === value),
  )
  const groupOf = (row: Row) => (groupBy === '' ? '' : (text(row, groupBy) ?? ''))
  const keyOf = (row: Row) => JSON.stringify([groupOf(row), String(stepOf(timeOf(row), stepMinutes))])
  return [...groupedBy(own, keyOf).values()].map((records) => {
    const first = records[0] as Row
    return { group: groupOf(first), stepNs: stepOf(timeOf(first), stepMinutes), records }
  })
}

function textOfSpan(span: Span, key: string): string | undefined {
  if (key === SPAN_NAME) return span.operationName
  return key === SPAN_KIND ? span.kind : textOfAttribute(span, key)
}

function textOfLog(log: LogRecord, key: string): string | undefined {
  return key === SEVERITY ? severityLevelOf(log.severityNumber) : textOfAttribute(log, key)
}

/** Own attributes come before those of the resource. */
function textOfAttribute({ serviceName, attributes, resource }: Origin, key: string): string | undefined {
  if (key === SERVICE_NAME) return serviceName
  const found = [attributes, resource].map((each) => (Object.hasOwn(each, key) ? textOf(each[key] ?? null) : undefined))
  return found.find((value) => value !== undefined)
}
