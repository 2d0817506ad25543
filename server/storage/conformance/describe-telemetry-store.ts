import { describe } from 'vitest'
import { describeAgreement } from './agreement.ts'
import { describeClosing } from './closing.ts'
import { describeDuplicateRecords } from './duplicate-records.ts'
import { describeFilterOptions } from './filter-options.ts'
import { describeGridIsolation } from './grid-isolation.ts'
import { describeHostileInput } from './hostile-input.ts'
import { describeLogReading } from './log-reading.ts'
import { describeMetricReading } from './metric-reading.ts'
import { describeRecordExpiry } from './record-expiry.ts'
import { describeRequestFigures } from './request-figures.ts'
import { describeRequestRules } from './request-rules.ts'
import { describeSearchFilters } from './search-filters.ts'
import { describeSearchItems } from './search-items.ts'
import { describeSearchTags } from './search-tags.ts'
import { describeSpanReading } from './span-reading.ts'
import type { Backend } from './subject.ts'
import { describeTraceErrors } from './trace-errors.ts'
import { describeTraceReading } from './trace-reading.ts'
import { describeUnansweredCalls } from './unanswered-calls.ts'
import { describeWriting } from './writing.ts'

const AREAS = [
  describeWriting,
  describeSpanReading,
  describeTraceReading,
  describeTraceErrors,
  describeLogReading,
  describeMetricReading,
  describeSearchFilters,
  describeSearchItems,
  describeSearchTags,
  describeFilterOptions,
  describeRequestRules,
  describeRequestFigures,
  describeUnansweredCalls,
  describeHostileInput,
  describeDuplicateRecords,
  describeGridIsolation,
  describeRecordExpiry,
  describeClosing,
  describeAgreement,
]

/** Registers tests of everything that the interface of a telemetry store promises. Call it in a backend's test file. */
export function describeTelemetryStore(backend: Backend): void {
  describe(`a telemetry store in ${backend.name}`, () => {
    for (const describeArea of AREAS) describeArea(backend)
  })
}
