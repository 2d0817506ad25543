import type { LogRecord } from '../../domain/log-record.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { LogCounts } from '../diagnostics-reader.ts'
import { groupedBy } from './grouped-by.ts'
import { minuteOf } from './time-units.ts'

/** What OTLP calls ERROR, in its numbers; FATAL is above. */
const SEVERITY_ERROR = 17

export function logCounts(logs: LogRecord[], { startNs, endNs }: TimeWindow): LogCounts[] {
  const own = logs.filter((log) => startNs <= log.timeNs && log.timeNs < endNs)
  const groups = groupedBy(own, (log) => JSON.stringify([log.serviceName, String(minuteOf(log.timeNs))]))
  return [...groups.values()].map((group) => {
    const { serviceName, timeNs } = group[0] as LogRecord
    return {
      serviceName,
      minuteNs: minuteOf(timeNs),
      recordCount: group.length,
      errorCount: group.filter((log) => log.severityNumber >= SEVERITY_ERROR).length,
    }
  })
}
