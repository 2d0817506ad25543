import { expect } from 'vitest'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import type { LogLiteral } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

/** `shop 0: 3, 1 failed` are three records of minute 0 after the base, one of them an error. */
async function countsIn(reader: TelemetryReader, window: TimeWindow = WHOLE_WINDOW): Promise<string[]> {
  const counts = await reader.logCounts(window)
  return counts
    .map(({ serviceName, minuteNs, recordCount, errorCount }) => {
      return `${serviceName} ${(minuteNs - BASE_NS) / 60_000_000_000n}: ${recordCount}, ${errorCount} failed`
    })
    .toSorted()
}

export function describeLogCounting(backend: Backend): void {
  describeWithStore('counting log records', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('counts none where there are none', { spans: [{}], points: [{}] }, async (reader) => {
      expect(await reader.logCounts(WHOLE_WINDOW)).toEqual([])
    })

    const severities = Array.from({ length: 25 }, (_, severityNumber): LogLiteral => ({ severityNumber }))
    answers('takes ERROR and above for errors', { logs: severities }, async (reader) => {
      expect(await countsIn(reader)).toEqual(['shop 0: 25, 8 failed'])
    })

    const logs: LogLiteral[] = [
      { id: '1', timeNs: BASE_NS - 1n },
      { id: '2', timeNs: BASE_NS, severityNumber: 17 },
      { id: '3', timeNs: BASE_NS + 59_999_999_999n, service: 'pay' },
      { id: '4', timeNs: BASE_NS + 59_999_999_999n },
      { id: '5', timeNs: BASE_NS + 60_000_000_000n },
      { id: '6', atMs: 5 * MS_PER_HOUR, severityNumber: 24 },
    ]
    answers('counts by service and minute', { logs }, async (reader) => {
      expect(await countsIn(reader)).toEqual(
        [
          'pay 0: 1, 0 failed',
          'shop -1: 1, 0 failed',
          'shop 0: 2, 1 failed',
          'shop 1: 1, 0 failed',
          'shop 300: 1, 1 failed',
        ].toSorted(),
      )
    })

    answers('takes what lies in a ragged window', { logs }, async (reader) => {
      expect(await countsIn(reader, windowMs(0.000001, 60_000))).toEqual(['pay 0: 1, 0 failed', 'shop 0: 1, 0 failed'])
      expect(await countsIn(reader, windowMs(0, 1))).toEqual(['shop 0: 1, 1 failed'])
      expect(await countsIn(reader, windowMs(0, 0))).toEqual([])
    })
  })
}
