import { describe } from 'vitest'
import { describeAgreement } from './agreement.ts'
import { describeArrivingLate } from './arriving-late.ts'
import { describeChartSteps } from './chart-steps.ts'
import { describeClosing } from './closing.ts'
import { describeDuplicateRecords } from './duplicate-records.ts'
import { describeEdgesJoined } from './edges-joined.ts'
import { describeEdgesLinked } from './edges-linked.ts'
import { describeEdgesNamed } from './edges-named.ts'
import { describeFilterOptions } from './filter-options.ts'
import { describeGridIsolation } from './grid-isolation.ts'
import { describeHostileInput } from './hostile-input.ts'
import { describeKnownHours } from './known-hours.ts'
import { describeLogCounting } from './log-counting.ts'
import { describeLogOptions } from './log-options.ts'
import { describeLogPatterns } from './log-patterns.ts'
import { describeLogReading } from './log-reading.ts'
import { describeLogSearch } from './log-search.ts'
import { describeLogWords } from './log-words.ts'
import { describeMetricChoosing } from './metric-choosing.ts'
import { describeMetricReading } from './metric-reading.ts'
import { describeRecordDeletion } from './record-deletion.ts'
import { describeRecordExpiry } from './record-expiry.ts'
import { describeRequestFigures } from './request-figures.ts'
import { describeRequestGroups } from './request-groups.ts'
import { describeRequestLatencies } from './request-latencies.ts'
import { describeRequestRules } from './request-rules.ts'
import { describeSearchFilters } from './search-filters.ts'
import { describeSearchItems } from './search-items.ts'
import { describeSearchTags } from './search-tags.ts'
import { describeServiceActivity } from './service-activity.ts'
import { describeShapeReading } from './shape-reading.ts'
import { describeSpanPicking } from './span-picking.ts'
import { describeSpanReading } from './span-reading.ts'
import type { Backend } from './subject.ts'
import { describeTraceErrors } from './trace-errors.ts'
import { describeTraceReading } from './trace-reading.ts'
import { describeWriting } from './writing.ts'

const AREAS = [
  describeWriting,
  describeSpanReading,
  describeTraceReading,
  describeTraceErrors,
  describeLogReading,
  describeLogSearch,
  describeLogWords,
  describeLogPatterns,
  describeLogOptions,
  describeMetricReading,
  describeSearchFilters,
  describeSearchItems,
  describeSearchTags,
  describeFilterOptions,
  describeRequestRules,
  describeRequestFigures,
  describeRequestGroups,
  describeRequestLatencies,
  describeEdgesJoined,
  describeEdgesNamed,
  describeEdgesLinked,
  describeArrivingLate,
  describeServiceActivity,
  describeSpanPicking,
  describeShapeReading,
  describeLogCounting,
  describeMetricChoosing,
  describeChartSteps,
  describeKnownHours,
  describeHostileInput,
  describeDuplicateRecords,
  describeGridIsolation,
  describeRecordDeletion,
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
