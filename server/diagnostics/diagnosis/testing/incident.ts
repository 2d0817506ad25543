import type { Diagnosis } from '../diagnosis.ts'
import { type Circumstances, diagnosed } from './diagnosed.ts'
import type { Fault } from './fault.ts'
import { simulate } from './simulated-system.ts'
import { smallShop } from './small-shop.ts'

/** When faults begin in scenarios, in minutes after the first request, and when somebody asks. */
export const ONSET = 20
export const ASKED = 25

export interface Story extends Partial<Circumstances> {
  seed?: number
  requestsPerMinute?: number
  minutes?: number
  keepsCustomers?: boolean
}

/** What is diagnosed of the small shop with these faults. */
export async function incident(faults: Fault[], story: Story = {}): Promise<Diagnosis[]> {
  const {
    seed = 11,
    requestsPerMinute = 40,
    atMinute = ASKED,
    minutes = atMinute,
    keepsCustomers = false,
    ...rest
  } = story
  const spans = simulate(smallShop, { seed, minutes, requestsPerMinute, faults, keepsCustomers })
  return diagnosed(spans, { atMinute, ...rest })
}

/** How long after the onset a diagnosis says that it began, in seconds. */
export function secondsAfterOnset({ firstDetectedNs }: Diagnosis, onsetNs: bigint): number {
  return Number(firstDetectedNs - onsetNs) / 1e9
}
