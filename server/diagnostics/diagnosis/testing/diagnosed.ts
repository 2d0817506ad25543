import type { MetricPoint } from '../../../domain/metric-point.ts'
import { type LogLiteral, logColumnsOf } from '../../../storage/conformance/log-builder.ts'
import { type SpanLiteral, spanColumnsOf } from '../../../storage/conformance/span-builder.ts'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { createMemoryStore } from '../../../storage/memory/memory-store.ts'
import { windowsAt } from '../../windows.ts'
import { diagnose } from '../diagnose.ts'
import type { Diagnosis } from '../diagnosis.ts'
import type { RecordedChange } from '../facts.ts'

export interface Circumstances {
  /** Minutes after the first. */
  atMinute: number
  windowMinutes?: number
  changes?: RecordedChange[]
  points?: MetricPoint[]
  logs?: LogLiteral[]
}

const GRID = '11111111-1111-4111-8111-111111111111'

/** What is diagnosed of these spans at a moment. */
export async function diagnosed(spans: SpanLiteral[], circumstances: Circumstances): Promise<Diagnosis[]> {
  const store = createMemoryStore()
  for (let i = 0; i < spans.length; i += 5000) await store.writeSpans(GRID, spanColumnsOf(spans.slice(i, i + 5000)))
  const { atMinute, windowMinutes, changes = [], points = [], logs = [] } = circumstances
  await store.writeMetrics(GRID, points)
  await store.writeLogs(GRID, logColumnsOf(logs))
  const sources = {
    reader: store.reader(GRID),
    changes: async () => changes,
  }
  return diagnose(sources, windowsAt(atNs(atMinute * 60_000), windowMinutes))
}
