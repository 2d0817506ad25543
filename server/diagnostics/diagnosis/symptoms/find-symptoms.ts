import type { Overview } from '../facts.ts'
import type { MinuteAxis } from '../series/minute-axis.ts'
import { errorRises } from './error-rises.ts'
import { type Silence, silences } from './silences.ts'
import { slowdowns } from './slowdowns.ts'
import type { Subject, Symptom } from './symptom.ts'

export interface Symptoms {
  /** Surest first. */
  all: Symptom[]
  silences: Silence[]
}

type Watched = Pick<Overview, 'operations' | 'services' | 'edges' | 'axis'>

/**
 * Everything that got worse: by operation; by service where no single operation has requests enough to tell; by edge, for
 * callers that bear a failure without failing themselves.
 */
export function findSymptoms({ operations, services, edges, axis }: Watched): Symptoms {
  const subjects: Subject[] = [
    ...operations.map((series): Subject => ({ of: 'operation', series })),
    ...edges.map((series): Subject => ({ of: 'edge', series })),
  ]
  const comparisons = 2 * (subjects.length + services.length)
  const found = subjects.flatMap((subject) => symptomsOf(subject, axis, comparisons))
  const told = new Set(found.filter(({ subject }) => subject.of === 'operation').map(({ serviceName }) => serviceName))
  const whole = services
    .filter(({ serviceName }) => !told.has(serviceName))
    .flatMap((series) => errorRises({ of: 'service', series }, axis, comparisons))
  const all = [...found, ...whole].toSorted((a, b) => a.pValue - b.pValue || b.during.requests - a.during.requests)
  return { all, silences: silences(services, axis) }
}

/** The mean time of a call is the callee's affair, which shows in the callee's own requests or in the caller's. */
function symptomsOf(subject: Subject, axis: MinuteAxis, comparisons: number): Symptom[] {
  const errors = errorRises(subject, axis, comparisons)
  return subject.of === 'edge' ? errors : [...errors, ...slowdowns(subject, axis, comparisons)]
}
