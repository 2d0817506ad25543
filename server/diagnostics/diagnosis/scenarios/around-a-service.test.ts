import { expect, it } from 'vitest'
import { inService } from '../testing/fault.ts'
import { incident, ONSET } from '../testing/incident.ts'

it('something outside that answers late is a slow dependency of whoever calls it', async () => {
  const [diagnosis] = await incident([
    { dependencySlower: (name, { minute }) => (name === 'cards' && minute >= ONSET ? 700 : undefined) },
  ])
  expect(diagnosis).toMatchObject({
    cause: 'Slow dependency in payments (api.cards.example)',
    affectedServices: ['payments', 'checkout', 'web'],
  })
  expect(diagnosis?.evidence[0]).toMatch(/^payments waits \d+ ms for api.cards.example at the mean of \d+ calls/)
})

it('one that slows two services is one cause', async () => {
  const found = await incident([
    { dependencySlower: (name, { minute }) => (name === 'orders-db' && minute >= ONSET ? 300 : undefined) },
  ])
  expect(found.map(({ cause }) => cause)).toEqual([
    expect.stringMatching(/^Slow dependency in (checkout|search) \(postgresql\/orders\)$/),
  ])
  expect(found[0]?.affectedServices).toEqual(expect.arrayContaining(['checkout', 'search', 'web']))
})

it('something outside that fails is a failing dependency', async () => {
  const failure = { type: 'IOException', message: 'unexpected end of stream' }
  const [diagnosis] = await incident([
    {
      dependencyFails: (name, { minute, random }) =>
        name === 'cards' && minute >= ONSET && random.chance(0.5) ? failure : undefined,
    },
  ])
  expect(diagnosis).toMatchObject({
    cause: 'Failing dependency in payments (api.cards.example)',
    severity: 'critical',
  })
})

it('something outside that refuses what is too much is rate limiting', async () => {
  const failure = { type: '429', message: 'Too Many Requests' }
  const [diagnosis] = await incident([
    {
      dependencyFails: (name, { minute, random }) =>
        name === 'cards' && minute >= ONSET && random.chance(0.5) ? failure : undefined,
    },
  ])
  expect(diagnosis?.cause).toBe('Rate limiting in payments (api.cards.example)')
})

it('a service that nobody reaches any more is at fault itself, though it sends nothing', async () => {
  const found = await incident([{ isDown: (name, minute) => name === 'payments' && minute >= ONSET }])
  expect(found.map(({ cause }) => cause)).toEqual(['Unreachable service in payments'])
  expect(found[0]).toMatchObject({ severity: 'critical', affectedServices: ['payments', 'checkout', 'web'] })
  expect(found[0]?.evidence[0]).toMatch(/^payments served 0 requests a minute, \d+ before$/)
})

it('a service that nobody reaches is named also where its caller does without it', async () => {
  const [diagnosis] = await incident([{ isDown: (name, minute) => name === 'ads' && minute >= ONSET }])
  expect(diagnosis).toMatchObject({ cause: 'Unreachable service in ads', severity: 'warning' })
  expect(diagnosis?.affectedServices[0]).toBe('ads')
})

it('a service that takes no messages any more is named though nothing fails', async () => {
  const [diagnosis] = await incident([{ isDown: (name, minute) => name === 'mail' && minute >= ONSET }])
  expect(diagnosis).toMatchObject({
    cause: 'Unreachable service in mail',
    severity: 'warning',
    affectedServices: ['mail'],
  })
})

it('a service that falls silent because its caller stopped calling is not blamed, but the caller is', async () => {
  const found = await incident([
    {
      repeats: (target, scene) =>
        inService('checkout', ONSET)(scene) && target.startsWith('payments') ? 0 : undefined,
    },
  ])
  expect(found.map(({ affectedServices }) => affectedServices[0])).toEqual(['checkout'])
  expect(found[0]?.evidence[0]).toContain('leave out “payments POST /charges”')
})

it('time that is lost between caller and callee is network delay', async () => {
  const [diagnosis] = await incident([
    { networkMs: (callee, { minute }) => (callee === 'payments' && minute >= ONSET ? 250 : undefined) },
  ])
  expect(diagnosis).toMatchObject({
    cause: 'Network delay in payments (checkout → payments)',
    affectedServices: ['payments', 'checkout', 'web'],
  })
})
