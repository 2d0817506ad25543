import type { TelemetryReader } from '../../storage/telemetry-store.ts'
import type { Windows } from '../windows.ts'
import type { Diagnosis, Finding, ImpactFilter } from './diagnosis.ts'
import { findCauses } from './find-causes.ts'
import { gatherDetails } from './gather/details.ts'
import { type FactSources, gatherOverview } from './gather/overview.ts'
import { findSymptoms } from './symptoms/find-symptoms.ts'

/** What broke in the window, by severity and confidence; nothing where all is well. */
export async function diagnose(sources: FactSources, windows: Windows): Promise<Diagnosis[]> {
  const overview = await gatherOverview(sources, windows)
  if (overview === undefined) return []
  const symptoms = findSymptoms(overview.operations, overview.edges, overview.axis)
  if (symptoms.all.length === 0) return []
  const details = await gatherDetails(sources.reader, overview, symptoms.all)
  const findings = findCauses(symptoms.all, overview, details)
  const counted = await Promise.all(findings.map((finding) => withImpact(sources.reader, finding)))
  return counted.toSorted((a, b) => weightOf(b) - weightOf(a))
}

function weightOf({ severity, confidence }: Diagnosis): number {
  return (severity === 'critical' ? 2 : 1) * confidence
}

/** Exact for each filter; a trace that matches several is counted once for each, so the sum is at most that much too large. */
async function withImpact(reader: TelemetryReader, finding: Finding): Promise<Diagnosis> {
  const { impact, sampledTraceCount, ...diagnosis } = finding
  const counts = await Promise.all(impact.map((filter) => countTraces(reader, filter)))
  const total = counts.reduce((sum, count) => sum + count, 0)
  return { ...diagnosis, impactedTraceCount: Math.max(total, sampledTraceCount) }
}

async function countTraces(reader: TelemetryReader, filter: ImpactFilter): Promise<number> {
  const { totalCount } = await reader.searchTraces({ ...filter, offset: 0, limit: 1 })
  return totalCount
}
