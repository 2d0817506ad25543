import { percentileMs } from '../../../domain/latencies.ts'
import { clock, milliseconds, percent } from '../causes/wording.ts'
import type { Details } from '../facts.ts'
import { meanMs } from '../series/minute-series.ts'
import { shareOf } from '../symptoms/error-rises.ts'
import type { Symptom } from '../symptoms/symptom.ts'

/** What got worse, in figures that the API also gives: one line for each service, nearest to the fault first. */
export function symptomLines(affected: string[], symptoms: Symptom[], details: Details, limit: number): string[] {
  const lines = affected.flatMap((name) => {
    const own = symptoms.filter(({ serviceName, subject }) => serviceName === name && subject.of !== 'edge')
    const strongest = own[0] ?? symptoms.find(({ serviceName }) => serviceName === name)
    const other = own.find(({ kind }) => strongest !== undefined && kind !== strongest.kind)
    return [strongest, name === affected[0] ? other : undefined].flatMap((symptom) =>
      symptom ? [lineOf(symptom, details)] : [],
    )
  })
  return lines.slice(0, limit)
}

function lineOf(symptom: Symptom, details: Details): string {
  const since = `since ${clock(symptom.onsetNs)}`
  const { before, during } = symptom
  if (symptom.kind === 'errors')
    return `${nameOf(symptom)}: ${percent(shareOf(during))} of ${during.requests} failed ${since}, ${percent(shareOf(before))} of ${before.requests} before`
  const latencies = details.samples.find((sample) => sample.symptom === symptom)?.latencies
  const mean = `${milliseconds(meanMs(during))} at the mean of ${during.requests} ${since}, ${milliseconds(meanMs(before))} before`
  if (!latencies) return `${nameOf(symptom)}: ${mean}`
  const p95 = `p95 ${milliseconds(percentileMs(latencies.during, 95))}, ${milliseconds(percentileMs(latencies.calm, 95))} before`
  return `${nameOf(symptom)}: ${mean}; ${p95}`
}

function nameOf({ subject }: Symptom): string {
  if (subject.of === 'edge') return `calls of ${subject.series.sourceName} to ${subject.series.targetName}`
  return `requests of ${subject.series.serviceName} ${subject.series.operationName}`.trim()
}
