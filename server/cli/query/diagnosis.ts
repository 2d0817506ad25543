import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/diagnosis.ts'
import type { ApiCommand } from '../api-command.ts'
import { printable } from '../printable.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type Diagnoses = Static<typeof schemas.diagnosis>
type Diagnosis = Diagnoses['diagnoses'][number]

export const diagnosis: ApiCommand<Diagnoses, MomentFlags> = {
  usage: 'diagnosis',
  about: 'what broke and why, worst first',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/diagnosis`, { at, window }),
  show: ({ diagnoses }) =>
    diagnoses.length === 0 ? 'Nothing is wrong that telemetry shows.' : diagnoses.map(paragraphOf).join('\n\n'),
}

function paragraphOf(found: Diagnosis): string {
  const { cause, severity, confidence, affectedServices, evidence, firstDetected, impactedTraceCount } = found
  const traces = impactedTraceCount === 1 ? '1 trace' : `${impactedTraceCount} traces`
  return [
    cause,
    `  ${severity}, ${Math.round(confidence * 100)} % sure, since ${firstDetected}, ${traces}`,
    `  affects ${affectedServices.join(' ← ')}`,
    ...evidence.map((line) => `  · ${line}`),
  ]
    .map(printable)
    .join('\n')
}
