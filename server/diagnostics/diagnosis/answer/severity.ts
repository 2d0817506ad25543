import type { CallGraph } from '../call-graph.ts'
import type { DiagnosisSeverity } from '../diagnosis.ts'
import { shareOf } from '../symptoms/error-rises.ts'
import type { Symptom } from '../symptoms/symptom.ts'

/** As in `/health`. */
const UNHEALTHY_ERROR_SHARE = 0.25
const UNBEARABLE_MS = 2000

/** Critical where users see errors, or where they come in nothing works in bearable time. */
export function severityOf(affected: string[], symptoms: Symptom[], graph: CallGraph): DiagnosisSeverity {
  const entries = new Set(affected.filter((name) => graph.isEntry(name)))
  const atEntries = symptoms.filter(({ serviceName, subject }) => entries.has(serviceName) && subject.of !== 'edge')
  return atEntries.some(isCritical) ? 'critical' : 'warning'
}

function isCritical({ kind, during }: Symptom): boolean {
  if (kind === 'errors' || shareOf(during) >= UNHEALTHY_ERROR_SHARE) return true
  return during.requests > 0 && during.durationMs / during.requests >= UNBEARABLE_MS
}
