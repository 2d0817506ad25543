import type { LogRecord } from '../../domain/log-record.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import type { Span } from '../../domain/span.ts'
import { NS_PER_HOUR } from '../../domain/time-window.ts'

/** Every record of one Grid, each under what it is known by. */
export interface GridRows {
  spans: Map<string, Span>
  logs: Map<string, LogRecord>
  points: Map<string, MetricPoint>
}

export function createGridRows(): GridRows {
  return { spans: new Map(), logs: new Map(), points: new Map() }
}

export function spanKey(traceId: string, spanId: string): string {
  return `${traceId}/${spanId}`
}

/** What a series is known by: everything that tells points apart but their time and value. */
export function seriesKey(point: MetricPoint): string {
  const { name, type, unit, temporality, monotonic, serviceName, resource, scopeName, scopeVersion, attributes } = point
  return JSON.stringify([
    name,
    type,
    unit,
    temporality,
    monotonic,
    serviceName,
    resource,
    scopeName,
    scopeVersion,
    attributes,
  ])
}

export function pointKey(point: MetricPoint): string {
  return `${seriesKey(point)}@${point.timeNs}`
}

/** Adds what is not known yet and returns how many records were: the first one wins. */
export function addNew<Row>(rows: Map<string, Row>, added: Row[], keyOf: (row: Row) => string): number {
  let duplicates = 0
  for (const row of added) {
    const key = keyOf(row)
    if (rows.has(key)) duplicates++
    else rows.set(key, row)
  }
  return duplicates
}

export function removeOlder(grid: GridRows, oldestNs: bigint): void {
  for (const [key, span] of grid.spans) if (span.startNs < oldestNs) grid.spans.delete(key)
  for (const [key, log] of grid.logs) if (log.timeNs < oldestNs) grid.logs.delete(key)
  for (const [key, point] of grid.points) if (point.timeNs < oldestNs) grid.points.delete(key)
}

/** The beginning of the hour of the first record; null where there is none. */
export function firstHourNs({ spans, logs, points }: GridRows): bigint | null {
  const times = [
    ...[...spans.values()].map(({ startNs }) => startNs),
    ...[...logs.values(), ...points.values()].map(({ timeNs }) => timeNs),
  ]
  if (times.length === 0) return null
  const firstNs = times.reduce((first, each) => (each < first ? each : first))
  return firstNs - (((firstNs % NS_PER_HOUR) + NS_PER_HOUR) % NS_PER_HOUR)
}
