import type { Span } from '../../../domain/span.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Charge } from '../answer/charge.ts'
import type { Sample } from '../facts.ts'

/** A sample that tells of a charge, and other requests of the same kind and time, good or bad. */
export interface Contrast {
  sample: Sample
  during: Span[]
}

const REQUESTS_MAX = 150
const CHARGES_MAX = 3
const SHARE_MIN = 0.5

/** For the most important charges: what their bad requests share is told only against these. */
export async function gatherContrasts(
  reader: DiagnosticsReader,
  charges: Charge[],
  samples: Sample[],
): Promise<Map<Charge, Contrast[]>> {
  const asked = charges.slice(0, CHARGES_MAX).map(async (charge): Promise<[Charge, Contrast[]]> => {
    const contrasts = mostTelling(charge, samples).map(async (sample) => {
      return { sample, during: await reader.sampleSpans(sample.window, sample.filter, REQUESTS_MAX) }
    })
    return [charge, await Promise.all(contrasts)]
  })
  return new Map(await Promise.all(asked))
}

/** One at the service at fault, and one at another: what is known of users is often known only where they come in. */
function mostTelling({ inquiry: { suspect } }: Charge, samples: Sample[]): Sample[] {
  const shareOf = ({ symptom }: Sample) => suspect.shares.get(symptom) ?? 0
  const telling = samples.filter((sample) => sample.bad.length > 0 && shareOf(sample) >= SHARE_MIN)
  const surestFirst = telling.toSorted((a, b) => shareOf(b) - shareOf(a))
  const isOwn = ({ symptom }: Sample) => symptom.serviceName === suspect.serviceName
  return [surestFirst.find(isOwn), surestFirst.find((sample) => !isOwn(sample))].filter((found) => found !== undefined)
}
