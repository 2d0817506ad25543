import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Inquiry } from '../causes/inquiry.ts'
import type { ImpactFilter } from '../diagnosis.ts'
import type { Details } from '../facts.ts'
import type { Verdict } from '../find-causes.ts'
import { windowOf } from '../series/minute-axis.ts'
import { meanMs, sumsOver } from '../series/minute-series.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import type { Charge } from './charge.ts'

const SLOW_OPERATIONS_MAX = 3
const SLOWER_FACTOR = 1.5

/**
 * How to find the traces of the window that failed or slowed: those with a failed span of the service at fault, and those with
 * a slow request of it that did not fail. Where it shows no symptom itself because it is gone, those of its nearest caller.
 */
export function impactFilters(
  { inquiry }: Charge,
  affected: string[],
  symptoms: Symptom[],
  { overview: { axis }, details }: Pick<Verdict, 'overview' | 'details'>,
): ImpactFilter[] {
  const { from, to } = inquiry.episode
  const window = windowOf(axis, { from: Math.max(from, axis.currentFrom), to })
  const serviceName = affected.find((name) => symptoms.some((symptom) => symptom.serviceName === name))
  if (serviceName === undefined) return slowerThanUsual(inquiry, window)
  const own = symptoms.filter((symptom) => symptom.serviceName === serviceName)
  const fails = own.some(({ kind }) => kind === 'errors')
  const failed: ImpactFilter[] = fails ? [{ window, serviceName, status: 'ERROR' }] : []
  return [...failed, ...slowFilters(own, details, window)]
}

/** Of a service that shows no symptom: its requests that took longer than most do, of the operations that it is asked for most. */
function slowerThanUsual({ suspect, overview, calm }: Inquiry, window: TimeWindow): ImpactFilter[] {
  return overview.operations
    .filter((series) => series.serviceName === suspect.serviceName)
    .map((series) => ({ series, usual: sumsOver(series, calm) }))
    .filter(({ usual }) => usual.requests > 0)
    .toSorted((a, b) => b.usual.requests - a.usual.requests)
    .slice(0, SLOW_OPERATIONS_MAX)
    .map(({ series: { serviceName, operationName }, usual }) => {
      const minDurationMs = Math.ceil(SLOWER_FACTOR * meanMs(usual))
      return { window, serviceName, operationName, status: 'OK', minDurationMs }
    })
}

function slowFilters(symptoms: Symptom[], { samples }: Details, window: TimeWindow): ImpactFilter[] {
  const filters = symptoms.flatMap((symptom): ImpactFilter[] => {
    const slowNs = samples.find((sample) => sample.symptom === symptom)?.slowNs
    if (slowNs === undefined || symptom.subject.of !== 'operation') return []
    const { serviceName, operationName } = symptom.subject.series
    return [{ window, serviceName, operationName, status: 'OK', minDurationMs: Math.ceil(Number(slowNs) / 1e6) }]
  })
  return filters.slice(0, SLOW_OPERATIONS_MAX)
}
