import { describe, expect, it } from 'vitest'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { inService, slowing, throwing } from '../testing/fault.ts'
import { incident, ONSET, secondsAfterOnset } from '../testing/incident.ts'

const NULL_POINTER = { type: 'NullPointerException', message: 'coupon is null' }

describe('a new version that throws', () => {
  it('is a bad deployment, with both versions, figures and an exception to look up', async () => {
    const isNew = inService('checkout', ONSET)
    const found = await incident([
      { versionOf: (scene) => (isNew(scene) ? '3.1.0' : undefined) },
      throwing(isNew, 0.4, NULL_POINTER),
    ])
    expect(found).toHaveLength(1)
    const [diagnosis] = found
    expect(diagnosis).toMatchObject({
      cause: 'Bad deployment in checkout (3.0.0 → 3.1.0)',
      severity: 'critical',
      affectedServices: ['checkout', 'web'],
    })
    expect(diagnosis?.confidence).toBeGreaterThan(0.7)
    expect(diagnosis?.evidence).toEqual([
      expect.stringMatching(/^checkout runs service.version 3.1.0 since 10:20:00Z, 3.0.0 before$/),
      expect.stringMatching(/^40 of 40 bad requests looked at met 3.1.0, which served 100 % of all requests/),
      expect.stringMatching(/NullPointerException: coupon is null, as in trace [0-9a-f]{32}$/),
      expect.stringMatching(
        /^requests of checkout POST \/orders: [\d.]+ % of \d+ failed since 10:20:\d\dZ, 0 % of \d+ before$/,
      ),
      expect.stringMatching(/^requests of web POST \/checkout: /),
    ])
    expect(diagnosis?.impactedTraceCount).toBeGreaterThan(10)
    expect(secondsAfterOnset(diagnosis as NonNullable<typeof diagnosis>, atNs(ONSET * 60_000))).toBeLessThan(60)
  })

  it('is one as well where only one of three instances runs it', async () => {
    const found = await incident([
      { versionOf: (scene) => (inService('cart', ONSET)(scene) && scene.instance === 0 ? '2.1.0' : undefined) },
      throwing(({ version }) => version === '2.1.0', 0.5, NULL_POINTER),
    ])
    expect(found.map(({ cause }) => cause)).toEqual(['Bad deployment in cart (2.0.0 → 2.1.0)'])
    expect(found[0]?.affectedServices).toEqual(['cart', 'checkout', 'web'])
  })
})

it('a new version that is slow is a bad deployment, but nobody sees errors', async () => {
  const isNew = inService('search', ONSET)
  const [diagnosis] = await incident([
    { versionOf: (scene) => (isNew(scene) ? '5.1.0' : undefined) },
    slowing(isNew, 80),
  ])
  expect(diagnosis).toMatchObject({ cause: 'Bad deployment in search (5.0.0 → 5.1.0)', severity: 'warning' })
})

it('a new version that came with the trouble of something outside is not blamed for it', async () => {
  const [diagnosis] = await incident([
    { versionOf: (scene) => (inService('payments', ONSET - 6)(scene) ? '4.1.0' : undefined) },
    { dependencySlower: (name, { minute }) => (name === 'cards' && minute >= ONSET ? 700 : undefined) },
  ])
  expect(diagnosis?.cause).toBe('Slow dependency in payments (api.cards.example)')
})

it('code that begins to throw is an exception, and its callers suffer, nearest first', async () => {
  const failure = { type: 'IllegalStateException', message: 'no session' }
  const [diagnosis] = await incident([throwing(inService('payments', ONSET), 0.3, failure)])
  expect(diagnosis).toMatchObject({
    cause: 'Exception in payments (IllegalStateException)',
    severity: 'critical',
    affectedServices: ['payments', 'checkout', 'web'],
  })
})

it('code that begins to take longer is slow code', async () => {
  const [diagnosis] = await incident([slowing(inService('search', ONSET), 100)])
  expect(diagnosis).toMatchObject({
    cause: 'Slow code in search (GET /search)',
    severity: 'warning',
    affectedServices: ['search', 'web'],
  })
})

it('code that asks the database once for each row is slow code, not a slow database', async () => {
  const isHit = inService('search', ONSET)
  const [diagnosis] = await incident([
    { repeats: (target, scene) => (isHit(scene) && target === 'orders-db' ? 30 : undefined) },
  ])
  expect(diagnosis?.cause).toBe('Slow code in search (calls to postgresql/orders)')
  expect(diagnosis?.evidence[0]).toMatch(/30 times as often for each request as before: 30 instead of 1/)
})

it('requests that wait in vain for a connection are an exhausted pool, which is named', async () => {
  const message = 'pay-primary - Connection is not available, request timed out after 2000ms'
  const isHit = inService('payments', ONSET)
  const [diagnosis] = await incident([
    slowing(isHit, 2000),
    throwing(isHit, 0.6, { type: 'java.sql.SQLTransientConnectionException', message }),
  ])
  expect(diagnosis).toMatchObject({
    cause: 'Connection pool exhaustion in payments (pay-primary)',
    severity: 'critical',
    affectedServices: ['payments', 'checkout', 'web'],
  })
})

it('settings that changed shortly before are a bad configuration', async () => {
  const change = {
    atNs: atNs((ONSET - 1) * 60_000),
    type: 'configuration',
    serviceName: 'payments',
    description: 'feature.new_ledger changed from off to on',
  }
  const [diagnosis] = await incident([throwing(inService('payments', ONSET), 0.3, NULL_POINTER)], { changes: [change] })
  expect(diagnosis?.cause).toBe('Bad configuration in payments')
  expect(diagnosis?.evidence[0]).toContain('feature.new_ledger changed from off to on')
})
