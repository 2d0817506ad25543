import { expect, it } from 'vitest'
import { inService } from '../testing/fault.ts'
import { incident, ONSET } from '../testing/incident.ts'

const isHit = inService('checkout', ONSET)

it('a version whose requests do nothing further is a bad deployment, although none fails', async () => {
  const [diagnosis] = await incident(
    [
      { versionOf: (scene) => (isHit(scene) ? '3.1.0' : undefined) },
      { givesUp: (scene) => scene.version === '3.1.0' && scene.random.chance(0.7) },
    ],
    { requestsPerMinute: 80 },
  )
  expect(diagnosis?.cause).toBe('Bad deployment in checkout (3.0.0 → 3.1.0)')
  expect(diagnosis?.evidence.join('\n')).toMatch(/spans looked at do nothing further, 0 % of \d+ before/)
})

it('an instance whose requests do nothing further is a bad instance', async () => {
  const [diagnosis] = await incident([{ givesUp: (scene) => isHit(scene) && scene.instance === 1 }], {
    requestsPerMinute: 80,
  })
  expect(diagnosis?.cause).toBe('Bad instance in checkout (checkout-1)')
})

it('what users share whose requests do nothing further is named, also where only the entry knows users', async () => {
  const [diagnosis] = await incident([{ givesUp: (scene) => isHit(scene) && scene.region === 'us-2' }], {
    requestsPerMinute: 120,
    keepsCustomers: true,
  })
  expect(diagnosis?.cause).toBe('Error return in checkout (POST /orders, client.region us-2)')
})
