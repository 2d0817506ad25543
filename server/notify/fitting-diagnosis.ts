import type { Diagnosis } from '../diagnostics/diagnosis/diagnosis.ts'

/** The weightiest diagnosis that puts the fault into this service, or else one that it suffers from. For the whole Grid, the weightiest. */
export function fittingDiagnosis(serviceName: string, diagnoses: Diagnosis[]): Diagnosis | undefined {
  if (serviceName === '') return diagnoses[0]
  const atFault = diagnoses.find(({ affectedServices }) => affectedServices[0] === serviceName)
  return atFault ?? diagnoses.find(({ affectedServices }) => affectedServices.includes(serviceName))
}
