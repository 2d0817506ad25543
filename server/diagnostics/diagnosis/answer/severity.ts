import type { CallGraph } from '../call-graph.ts'
import type { DiagnosisSeverity } from '../diagnosis.ts'
import type { Episode } from '../series/minute-axis.ts'
import type { OperationSeries } from '../series/minute-series.ts'
import { apdexOver, minutesOf, sumsOver } from '../series/minute-series.ts'
import { shareOf } from '../symptoms/error-rises.ts'
import type { Symptom } from '../symptoms/symptom.ts'

/** As `/health` has it. */
const UNHEALTHY = { errorShare: 0.25, apdex: 0.5 }

export interface Impact {
  /** The services that suffer, and what is seen of it. */
  affected: string[]
  symptoms: Symptom[]
  episode: Episode
  services: OperationSeries[]
}

/** Critical where users see errors, or where a service that they come to is unhealthy meanwhile. */
export function severityOf({ affected, symptoms, episode, services }: Impact, graph: CallGraph): DiagnosisSeverity {
  const entries = new Set(affected.filter((name) => graph.isEntry(name)))
  const seesErrors = symptoms.some(
    ({ kind, serviceName, subject }) => kind === 'errors' && subject.of !== 'edge' && entries.has(serviceName),
  )
  const isUnhealthy = (series: OperationSeries) =>
    shareOf(sumsOver(series, minutesOf(episode))) >= UNHEALTHY.errorShare ||
    apdexOver(series, episode) < UNHEALTHY.apdex
  return seesErrors || services.some((series) => entries.has(series.serviceName) && isUnhealthy(series))
    ? 'critical'
    : 'warning'
}
