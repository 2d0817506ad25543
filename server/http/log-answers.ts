import type { Static } from 'typebox'
import { type LogRecord, severityLevelOf } from '../domain/log-record.ts'
import { isoOfNs } from '../domain/time-window.ts'
import type { LogPattern } from '../storage/telemetry-store.ts'
import { attributesAnswer } from './attributes-answer.ts'
import type { logDetail, logPatternResult, logSearchResult } from './schemas/logs.ts'

export function logSearchItem(log: LogRecord): Static<typeof logSearchResult>['items'][number] {
  return {
    id: log.id,
    timestamp: isoOfNs(log.timeNs),
    severityLevel: severityLevelOf(log.severityNumber),
    body: log.body,
    serviceName: log.serviceName,
    traceId: log.traceId,
    spanId: log.spanId,
    attributes: attributesAnswer(log.attributes),
  }
}

export function logPatternItem(
  pattern: LogPattern,
  newest: LogRecord | undefined,
): Static<typeof logPatternResult>['items'][number] {
  return {
    pattern: pattern.template,
    severityLevel: pattern.severityLevel,
    serviceName: pattern.serviceName,
    count: pattern.recordCount,
    firstSeen: isoOfNs(pattern.firstNs),
    lastSeen: isoOfNs(pattern.lastNs),
    example: newest ? logSearchItem(newest) : null,
  }
}

export function logDetailAnswer(log: LogRecord): Static<typeof logDetail> {
  return {
    ...logSearchItem(log),
    severityNumber: log.severityNumber,
    resource: attributesAnswer(log.resource),
  }
}
