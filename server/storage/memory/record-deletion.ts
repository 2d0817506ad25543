import type { Attributes } from '../../domain/attributes.ts'
import type { RecordCounts, RecordMatch } from '../../domain/record-match.ts'
import { NS_PER_HOUR } from '../../domain/time-window.ts'
import type { GridRows } from './grid-rows.ts'
import { textOf } from './trace-search.ts'

export function hoursOf({ spans, logs, points }: GridRows): number[] {
  const hours = [
    ...[...spans.values()].map(({ startNs }) => hourOf(startNs)),
    ...[...logs.values(), ...points.values()].map(({ timeNs }) => hourOf(timeNs)),
  ]
  return [...new Set(hours)].sort((a, b) => a - b)
}

export function removeMatching({ spans, logs, points }: GridRows, hour: number, match: RecordMatch): RecordCounts {
  const carries = (...all: Attributes[]) => all.some((attributes) => hasValue(attributes, match))
  const { signals } = match
  return {
    spans: signals.includes('traces')
      ? removeFrom(spans, ({ startNs, attributes, resource, events, links }) => {
          const ofParts = [...events, ...links].map((part) => part.attributes)
          return hourOf(startNs) === hour && carries(attributes, resource, ...ofParts)
        })
      : 0,
    logRecords: signals.includes('logs')
      ? removeFrom(logs, (log) => hourOf(log.timeNs) === hour && carries(log.attributes, log.resource))
      : 0,
    metricPoints: signals.includes('metrics')
      ? removeFrom(points, (point) => hourOf(point.timeNs) === hour && carries(point.attributes, point.resource))
      : 0,
  }
}

function hasValue(attributes: Attributes, { attribute, values }: RecordMatch): boolean {
  if (!Object.hasOwn(attributes, attribute)) return false
  const value = attributes[attribute] ?? null
  const texts = [value, ...(Array.isArray(value) ? value : [])].map(textOf)
  return texts.some((text) => text !== undefined && values.includes(text))
}

function removeFrom<Row>(rows: Map<string, Row>, isGone: (row: Row) => boolean): number {
  const gone = [...rows].filter(([, row]) => isGone(row))
  for (const [key] of gone) rows.delete(key)
  return gone.length
}

function hourOf(ns: bigint): number {
  const hour = ns / NS_PER_HOUR
  return Number(ns < 0n && hour * NS_PER_HOUR !== ns ? hour - 1n : hour)
}
