import type { ImpactFilter } from '../diagnosis.ts'
import type { Details, Overview } from '../facts.ts'
import { minuteOf } from '../series/minute-axis.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import type { Charge } from './charge.ts'

const SLOW_OPERATIONS_MAX = 2

/**
 * How to find the traces that failed or slowed: those with a failed span of the service at fault, and those with a slow
 * request of it. Where it shows no symptom itself because it is gone, those of its callers.
 */
export function impactFilters(
  charge: Charge,
  affected: string[],
  symptoms: Symptom[],
  facts: { overview: Overview; details: Details },
) {
  const startNs = minuteOf(charge.inquiry.suspect.onsetNs)
  const current = { startNs, endNs: facts.overview.axis.endNs }
  for (const serviceName of affected) {
    const own = symptoms.filter((symptom) => symptom.serviceName === serviceName)
    if (own.length === 0) continue
    const failed: ImpactFilter[] = own.some(({ kind }) => kind === 'errors')
      ? [{ window: current, serviceName, status: 'ERROR' }]
      : []
    return [...failed, ...slowFilters(own, facts.details, current)]
  }
  return []
}

function slowFilters(symptoms: Symptom[], { samples }: Details, window: ImpactFilter['window']): ImpactFilter[] {
  return symptoms
    .filter(({ kind, subject }) => kind === 'latency' && subject.of === 'operation')
    .slice(0, SLOW_OPERATIONS_MAX)
    .flatMap((symptom): ImpactFilter[] => {
      const slowNs = samples.find((sample) => sample.symptom === symptom)?.slowNs
      if (slowNs === undefined || symptom.subject.of !== 'operation') return []
      const { serviceName, operationName } = symptom.subject.series
      return [{ window, serviceName, operationName, minDurationMs: Math.ceil(Number(slowNs) / 1e6) }]
    })
}
