import type { TelemetryReader } from '../../storage/telemetry-store.ts'
import type { Windows } from '../windows.ts'
import { calibrated } from './answer/calibration.ts'
import { silentConsumers } from './answer/silent-consumers.ts'
import type { Diagnosis, Finding, ImpactFilter } from './diagnosis.ts'
import { findCauses, findingsOf, withWitnesses } from './find-causes.ts'
import { drawLot } from './gather/behaviour.ts'
import { gatherContrasts } from './gather/contrasts.ts'
import { gatherDetails } from './gather/details.ts'
import { focusesOf } from './gather/focus.ts'
import { type FactSources, gatherOverview } from './gather/overview.ts'
import { gatherSigns } from './gather/signs.ts'
import { gatherWitnesses } from './gather/witnesses.ts'
import { findSymptoms } from './symptoms/find-symptoms.ts'

/** What is over comes behind what still goes on. */
const OVER_WEIGHT = 0.4
const OVER_AFTER_NS = 2n * 60_000_000_000n

/**
 * What broke in the window, what goes on before what is over, by severity and confidence; nothing where all is well. `calibrate` makes a confidence of how much
 * speaks for a diagnosis: another one than the usual is given only to fit that one anew.
 */
export async function diagnose(
  sources: FactSources,
  windows: Windows,
  calibrate: (score: number) => number = (score) => calibrated(score),
): Promise<Diagnosis[]> {
  const findings: Finding[] = []
  const focuses = await focusesOf(sources.reader, windows)
  for (const focus of focuses) findings.push(...(await findingsIn(sources, focus, 1 / focuses.length)))
  const counted = await Promise.all(
    onePerCause(findings).map(async ({ impact, sampledTraceCount, score, endNs, ...finding }) => {
      const diagnosis = {
        ...finding,
        confidence: Math.round(100 * calibrate(score)) / 100,
        impactedTraceCount: Math.max(sampledTraceCount, await countAll(sources.reader, impact)),
      }
      return { diagnosis, weight: weightOf(diagnosis) * (isOver(endNs, windows) ? OVER_WEIGHT : 1) }
    }),
  )
  return counted.toSorted((a, b) => b.weight - a.weight).map(({ diagnosis }) => diagnosis)
}

function isOver(endNs: bigint, { current }: Windows): boolean {
  return endNs + OVER_AFTER_NS <= current.endNs
}

/** `share`: how much of what may be looked at closely there is for these windows. */
async function findingsIn(sources: FactSources, windows: Windows, share: number): Promise<Finding[]> {
  const overview = await gatherOverview(sources, windows)
  if (overview === undefined) return []
  const symptoms = findSymptoms(overview)
  const silent = silentConsumers(symptoms.silences, overview)
  const lot = await drawLot(sources.reader, overview, share)
  const gathered = () => gatherDetails(sources.reader, overview, symptoms.all)
  // Signs are asked for first, which takes longest. Without symptoms, details are needed only if there are signs.
  const [signs, detailsOfSymptoms] = await Promise.all([
    gatherSigns(sources.reader, overview, lot),
    symptoms.all.length > 0 ? gathered() : undefined,
  ])
  const signCount = signs.habits.length + signs.jumps.length + signs.ways.length
  if (symptoms.all.length + signCount === 0) return silent
  const details = detailsOfSymptoms ?? (await gathered())
  const charged = findCauses(symptoms.all, overview, details, signs)
  const witnesses = await gatherWitnesses(sources.reader, overview.axis, charged.charges)
  const verdict = witnesses.size === 0 ? charged : withWitnesses(charged, witnesses)
  return [...findingsOf(verdict, await gatherContrasts(sources.reader, verdict)), ...silent]
}

/** Stretches of a long window may show the same trouble; the surest account of it is kept. */
function onePerCause(findings: Finding[]): Finding[] {
  const surest = new Map<string, Finding>()
  for (const finding of findings) {
    const known = surest.get(finding.cause)
    if (known === undefined || finding.score > known.score) surest.set(finding.cause, finding)
  }
  return [...surest.values()]
}

function weightOf({ severity, confidence }: Diagnosis): number {
  return (severity === 'critical' ? 2 : 1) * confidence
}

/** Exact for each filter; a trace that matches several is counted once for each, so the sum is at most that much too large. */
async function countAll(reader: TelemetryReader, impact: ImpactFilter[]): Promise<number> {
  const counts = await Promise.all(impact.map((filter) => countTraces(reader, filter)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function countTraces(reader: TelemetryReader, filter: ImpactFilter): Promise<number> {
  const { totalCount } = await reader.searchTraces({ ...filter, offset: 0, limit: 1 })
  return totalCount
}
