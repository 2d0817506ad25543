import { expect, it } from 'vitest'
import { metricPointOf } from '../../../storage/conformance/metric-builder.ts'
import { inService, slowing, throwing } from '../testing/fault.ts'
import { ASKED, incident, ONSET } from '../testing/incident.ts'

it('one slow instance of three is a bad instance', async () => {
  const isHit = inService('cart', ONSET)
  const [diagnosis] = await incident([slowing((scene) => isHit(scene) && scene.instance === 1, 400)])
  expect(diagnosis).toMatchObject({
    cause: 'Bad instance in cart (cart-1)',
    affectedServices: ['cart', 'checkout', 'web'],
  })
  expect(diagnosis?.evidence[0]).toMatch(
    /began on service.instance.id cart-1, which served 3\d(\.\d+)? % of all requests/,
  )
})

it('one instance that cannot reach what the others reach is a bad instance, not a failing dependency', async () => {
  const refused = { type: 'ECONNREFUSED', message: 'connection refused' }
  const isHit = inService('cart', ONSET)
  const [diagnosis] = await incident([
    {
      dependencyFails: (name, scene) =>
        name === 'cache' && isHit(scene) && scene.instance === 2 ? refused : undefined,
    },
  ])
  expect(diagnosis).toMatchObject({ cause: 'Bad instance in cart (cart-2)', severity: 'critical' })
})

it('a failure that one customer meets names the customer', async () => {
  const isHit = inService('checkout', ONSET)
  const failure = { type: 'FormatException', message: 'bad address' }
  const [diagnosis] = await incident([throwing((scene) => isHit(scene) && scene.customer === 'elm', 1, failure)], {
    requestsPerMinute: 80,
  })
  expect(diagnosis?.cause).toBe('Exception in checkout (FormatException, customer.id elm)')
  expect(diagnosis?.evidence.join('\n')).toMatch(
    /customer.id is elm in 100 % of \d+ bad requests, and in 0 % of \d+ good/,
  )
})

it('a customer is named also where only the entry knows customers', async () => {
  const isHit = inService('payments', ONSET)
  const failure = { type: 'FormatException', message: 'bad address' }
  const [diagnosis] = await incident([throwing((scene) => isHit(scene) && scene.customer === 'elm', 1, failure)], {
    requestsPerMinute: 120,
    keepsCustomers: true,
  })
  expect(diagnosis?.cause).toBe('Exception in payments (FormatException, customer.id elm)')
})

it('slowness that one region meets names the region', async () => {
  const isHit = inService('search', ONSET)
  const [diagnosis] = await incident([slowing((scene) => isHit(scene) && scene.region === 'us-2', 300)])
  expect(diagnosis?.cause).toBe('Slow code in search (GET /search, client.region us-2)')
})

it('more requests than a service can bear are a traffic surge', async () => {
  const [diagnosis] = await incident([
    { traffic: (entry, minute) => (entry === 'web GET /search' && minute >= ONSET ? 4 : 1) },
    slowing(inService('search', ONSET), 600),
  ])
  expect(diagnosis).toMatchObject({
    cause: 'Traffic surge in search (GET /search)',
    affectedServices: ['search', 'web'],
  })
  expect(diagnosis?.evidence[0]).toMatch(
    /^search GET \/search: \d+ requests a minute, [34](\.\d)? times the \d+ of before$/,
  )
})

it('a processor that is full while code takes longer is CPU saturation', async () => {
  const points = Array.from({ length: ASKED * 4 }, (_, i) =>
    metricPointOf({
      service: 'search',
      resource: { 'service.instance.id': 'search-0' },
      name: 'process.cpu.utilization',
      atMs: i * 15_000,
      value: i * 15_000 >= ONSET * 60_000 ? 0.99 : 0.3,
    }),
  )
  const [diagnosis] = await incident([slowing(inService('search', ONSET), 100)], { points })
  expect(diagnosis?.cause).toMatch(/^CPU saturation in search/)
  expect(diagnosis?.evidence[0]).toMatch(/^search: cpu .*at 99 % since 10:(19|20):\d\dZ \(pressure\)$/)
})
