import { type LogRecord, SEVERITY_LEVELS, severityLevelOf } from '../../domain/log-record.ts'
import { wordPattern } from '../../domain/word-pattern.ts'
import type { LogFilter, LogFilterOptions, LogPage, Portion } from '../telemetry-store.ts'
import { ascending } from './ascending.ts'
import { mostUsed } from './filter-options.ts'
import { hasTag } from './trace-search.ts'

export function searchLogs(logs: LogRecord[], filter: LogFilter, { offset, limit }: Portion): LogPage {
  const matching = matchingLogs(logs, filter)
  return { items: structuredClone(matching.slice(offset, offset + limit)), totalCount: matching.length }
}

/** Newest first. */
export function matchingLogs(logs: LogRecord[], filter: LogFilter): LogRecord[] {
  return logs.filter((log) => matches(log, filter)).toSorted(newestFirst)
}

function newestFirst(a: LogRecord, b: LogRecord): number {
  return ascending(b.timeNs, a.timeNs) || ascending(a.id, b.id)
}

export function byTime(a: LogRecord, b: LogRecord): number {
  return ascending(a.timeNs, b.timeNs) || ascending(a.id, b.id)
}

function matches(log: LogRecord, filter: LogFilter): boolean {
  return (
    filter.window.startNs <= log.timeNs &&
    log.timeNs < filter.window.endNs &&
    (filter.severityLevel === undefined || severityLevelOf(log.severityNumber) === filter.severityLevel) &&
    (filter.serviceName === undefined || log.serviceName === filter.serviceName) &&
    (filter.traceId === undefined || log.traceId === filter.traceId) &&
    (filter.spanId === undefined || log.spanId === filter.spanId) &&
    (filter.words ?? []).every((word) => new RegExp(wordPattern(word), 'iu').test(log.body)) &&
    Object.entries(filter.attributes ?? {}).every(([key, text]) => hasTag(log, key, text))
  )
}

export function firstLogOfSpan(logs: LogRecord[], spanId: string): LogRecord | undefined {
  const own = logs.filter((log) => log.spanId === spanId).toSorted(byTime)
  const newest = own.toSorted((a, b) => ascending(b.timeNs, a.timeNs) || ascending(a.traceId, b.traceId))[0]
  return own.find((log) => log.traceId === newest?.traceId)
}

export function logFilterOptions(logs: LogRecord[], limit: number): LogFilterOptions {
  const levels = new Set(logs.map((log) => severityLevelOf(log.severityNumber)))
  return {
    severityLevels: SEVERITY_LEVELS.filter((level) => levels.has(level)),
    serviceNames: [...new Set(logs.map((log) => log.serviceName))].toSorted(ascending),
    attributeKeys: mostUsed(
      logs.flatMap((log) => [...Object.keys(log.attributes), ...Object.keys(log.resource)]),
      limit,
    ),
  }
}
