import { describe, expect, it } from 'vitest'
import { diagnosed } from './testing/diagnosed.ts'
import { type Fault, simulate } from './testing/simulated-system.ts'
import { smallShop } from './testing/small-shop.ts'

const ONSET = 50
const AT = 55

const during = (minute: number) => minute >= ONSET

function incident(...faults: Fault[]) {
  return diagnosed(simulate(smallShop, { seed: 7, minutes: AT, requestsPerMinute: 40, faults }), { atMinute: AT })
}

describe('x', () => {
  it('bad deployment', async () => {
    const found = await incident({
      versionOf: (name, minute) => (name === 'checkout' && during(minute) ? '3.1.0' : undefined),
      throws: ({ serviceName, version, random }) =>
        serviceName === 'checkout' && version === '3.1.0' && random.chance(0.5)
          ? { type: 'NullPointerException', message: 'coupon is null' }
          : undefined,
    })
    console.log(
      JSON.stringify(found, (_k, v) => (typeof v === 'bigint' ? new Date(Number(v / 1000000n)).toISOString() : v), 2),
    )
    expect(found[0]?.cause).toBe('Bad deployment in checkout (3.0.0 → 3.1.0)')
  })
})
