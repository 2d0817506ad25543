import { apdexOf } from '../../../domain/apdex.ts'
import type { MinuteFigures, RequestSeries, EdgeSeries as StoredEdges } from '../../../storage/diagnostics-reader.ts'
import type { Episode, MinuteAxis } from './minute-axis.ts'

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

/** Series of a window that ends with the axis, and begins with it or earlier. */
export function operationSeries(rows: RequestSeries[], { length }: MinuteAxis): OperationSeries[] {
  return rows.map(({ serviceName, operationName, content, ...figures }) => ({
    serviceName,
    operationName,
    content: lastOf(content, length),
    ...seriesOf(figures, length),
  }))
}

/** Series of a window that ends with the axis, and begins with it or earlier. */
export function edgeSeries(rows: StoredEdges[], { length }: MinuteAxis): EdgeSeries[] {
  return rows.map(({ sourceName, targetName, targetIsService, kind, unansweredErrors, ...figures }) => ({
    sourceName,
    targetName,
    targetIsService,
    isMessage: kind === 'PRODUCER',
    unanswered: lastOf(unansweredErrors, length),
    ...seriesOf(figures, length),
  }))
}

function seriesOf({ requests, errors, durationMs }: MinuteFigures, length: number): MinuteSeries {
  return { requests: lastOf(requests, length), errors: lastOf(errors, length), durationMs: lastOf(durationMs, length) }
}

/** One by one: an iterator takes several times as long, and there are hundreds of thousands. */
function lastOf(figures: Float64Array, length: number): number[] {
  const last = new Array<number>(length)
  for (let i = 0; i < length; i++) last[i] = figures[figures.length - length + i] as number
  return last
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
