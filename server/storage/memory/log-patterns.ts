import { type LogRecord, severityLevelOf } from '../../domain/log-record.ts'
import type { LogFilter, LogPattern } from '../telemetry-store.ts'
import { ascending } from './ascending.ts'
import { groupedBy } from './grouped-by.ts'
import { matchingLogs } from './log-search.ts'

export function logPatterns(logs: LogRecord[], filter: LogFilter): LogPattern[] {
  const groups = groupedBy(matchingLogs(logs, filter), (log) => keyOf(patternOf(log)))
  return [...groups.values()]
    .map((group) => {
      const [newest, oldest] = [group[0] as LogRecord, group.at(-1) as LogRecord]
      return { ...patternOf(newest), recordCount: group.length, firstNs: oldest.timeNs, lastNs: newest.timeNs }
    })
    .toSorted((a, b) => ascending(b.recordCount, a.recordCount) || ascending(b.lastNs, a.lastNs))
}

export function newestOfPatterns(
  logs: LogRecord[],
  filter: LogFilter,
  patterns: LogPattern[],
): (LogRecord | undefined)[] {
  const matching = matchingLogs(logs, filter)
  return patterns.map((pattern) =>
    structuredClone(matching.find((log) => keyOf(patternOf(log)) === keyOf(pattern) && log.timeNs === pattern.lastNs)),
  )
}

type Kind = Pick<LogPattern, 'serviceName' | 'severityLevel' | 'template'>

function patternOf({ serviceName, severityNumber, template }: LogRecord): Kind {
  return { serviceName, severityLevel: severityLevelOf(severityNumber), template }
}

function keyOf({ serviceName, severityLevel, template }: Kind): string {
  return JSON.stringify([serviceName, severityLevel, template])
}
