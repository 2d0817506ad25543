import { apdexOf } from '../../../domain/apdex.ts'
import type { Edge, RequestGroup } from '../../../storage/diagnostics-reader.ts'
import { type Episode, indexOn, type MinuteAxis } from './minute-axis.ts'

/** Requests, or calls, by minute of an axis. */
export interface MinuteSeries {
  requests: number[]
  errors: number[]
  durationMs: number[]
}

export interface OperationSeries extends MinuteSeries {
  serviceName: string
  /** Empty for all operations of the service together. */
  operationName: string
  /** Requests that left nobody waiting, those that did a little counting half: apdex, times the requests. */
  content: number[]
}

/** Calls as the caller saw them. */
export interface EdgeSeries extends MinuteSeries {
  sourceName: string
  targetName: string
  targetIsService: boolean
  /** By link or not: nobody waits for what a message sets off. */
  isMessage: boolean
  unanswered: number[]
}

export interface SeriesSums {
  requests: number
  errors: number
  durationMs: number
}

export function operationSeries(rows: RequestGroup[], axis: MinuteAxis): OperationSeries[] {
  const found = new Map<string, OperationSeries>()
  for (const row of rows) {
    const { serviceName, operationName, minuteNs, requestCount, errorCount, durationNsSum } = row
    const index = indexOn(axis, minuteNs)
    if (index === undefined) continue
    const series = keptIn(found, `${serviceName}\n${operationName}`, () => ({
      serviceName,
      operationName,
      content: zeros(axis.length),
      ...emptySeries(axis),
    }))
    series.content[index] = (series.content[index] ?? 0) + row.satisfiedCount + row.toleratingCount / 2
    add(series, index, { requests: requestCount, errors: errorCount, durationMs: Number(durationNsSum) / 1e6 })
  }
  return [...found.values()]
}

export function edgeSeries(rows: Edge[], axis: MinuteAxis): EdgeSeries[] {
  const found = new Map<string, EdgeSeries>()
  for (const row of rows) {
    const { sourceName, targetName, targetIsService, kind, minuteNs } = row
    const index = indexOn(axis, minuteNs)
    if (index === undefined) continue
    const series = keptIn(found, `${sourceName}\n${targetName}\n${kind}`, () => ({
      sourceName,
      targetName,
      targetIsService,
      isMessage: kind === 'PRODUCER',
      unanswered: zeros(axis.length),
      ...emptySeries(axis),
    }))
    const durationMs = Number(row.durationNsSum) / 1e6
    add(series, index, { requests: row.requestCount, errors: row.errorCount, durationMs })
    series.unanswered[index] = (series.unanswered[index] ?? 0) + row.unansweredErrorCount
  }
  return [...found.values()]
}

/** All operations of each service together. */
export function serviceSeries(operations: OperationSeries[], axis: MinuteAxis): OperationSeries[] {
  const found = new Map<string, OperationSeries>()
  for (const operation of operations) {
    const { serviceName } = operation
    const whole = keptIn(found, serviceName, () => ({
      serviceName,
      operationName: '',
      content: zeros(axis.length),
      ...emptySeries(axis),
    }))
    for (let i = 0; i < axis.length; i++) {
      add(whole, i, at(operation, i))
      whole.content[i] = (whole.content[i] ?? 0) + (operation.content[i] ?? 0)
    }
  }
  return [...found.values()]
}

export function sumsOver(series: MinuteSeries, minutes: Iterable<number>): SeriesSums {
  const sums = { requests: 0, errors: 0, durationMs: 0 }
  for (const i of minutes) {
    const { requests, errors, durationMs } = at(series, i)
    sums.requests += requests
    sums.errors += errors
    sums.durationMs += durationMs
  }
  return sums
}

export function* minutesOf({ from, to }: Episode): Generator<number> {
  for (let i = from; i < to; i++) yield i
}

/** Of a service over an episode, as `/health` judges it. */
export function apdexOver({ requests, content }: OperationSeries, { from, to }: Episode): number {
  const sumOf = (values: number[]) => values.slice(from, to).reduce((sum, value) => sum + value, 0)
  return apdexOf(sumOf(content), 0, sumOf(requests))
}

export function meanMs({ requests, durationMs }: SeriesSums): number {
  return requests === 0 ? 0 : durationMs / requests
}

function at(series: MinuteSeries, i: number): SeriesSums {
  return {
    requests: series.requests[i] ?? 0,
    errors: series.errors[i] ?? 0,
    durationMs: series.durationMs[i] ?? 0,
  }
}

function add(series: MinuteSeries, i: number, sums: SeriesSums): void {
  series.requests[i] = (series.requests[i] ?? 0) + sums.requests
  series.errors[i] = (series.errors[i] ?? 0) + sums.errors
  series.durationMs[i] = (series.durationMs[i] ?? 0) + sums.durationMs
}

function emptySeries(axis: MinuteAxis): MinuteSeries {
  return { requests: zeros(axis.length), errors: zeros(axis.length), durationMs: zeros(axis.length) }
}

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0)
}

function keptIn<T>(found: Map<string, T>, key: string, make: () => T): T {
  const known = found.get(key)
  if (known) return known
  const made = make()
  found.set(key, made)
  return made
}
