import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, problem, type TestApp } from './testing/test-app.ts'

/**
 * One request that is wrong in every way, made right step by step: each step must uncover the next fault, in the order
 * of the contract.
 */
describe('the order of checks', () => {
  let test: TestApp
  let reader: Record<string, string>
  const bad = { method: 'POST', payload: '{', headers: { 'content-type': 'text/csv' } } as const

  beforeAll(async () => {
    test = await createTestApp({ limits: { callerPerMinute: 1, gridPerMinute: 3000 } })
    reader = await test.key('Guest', ['read'])
  })
  afterAll(() => test.app.close())

  const inject = async (request: InjectOptions) => {
    const response = await test.app.inject(request)
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }

  it('starts with the path', async () => {
    expect(await inject({ ...bad, url: '/apm/nothing/x' })).toMatchObject(problem('unknown-path'))
  })

  it('goes on with the method', async () => {
    const answer = await inject({ ...bad, method: 'PUT', url: '/apm/traces/x' })
    expect(answer).toMatchObject({ ...problem('method-not-allowed'), headers: { allow: 'POST' } })
  })

  it('goes on with the version', async () => {
    expect(await inject({ ...bad, url: '/apm/traces/x' })).toMatchObject(problem('missing-version'))
  })

  it('goes on with the authentication', async () => {
    const url = '/apm/traces/x?api-version=2.0'
    expect(await inject({ ...bad, url })).toMatchObject(problem('missing-credential'))
  })

  it('goes on with the form of the Grid’s id', async () => {
    const headers = { ...bad.headers, ...reader }
    expect(await inject({ ...bad, headers, url: '/apm/traces/x?api-version=2.0' })).toMatchObject(
      problem('malformed-grid-id'),
    )
  })

  it('goes on with access, subscription, role and scope', async () => {
    const url = `/apm/grids/${test.gridId}/limits?api-version=2.0`
    const traces = `/apm/traces/${test.gridId}?api-version=2.0`
    const keyless = { ...bad.headers, ...(await test.key('Guest', ['ingest'])) }
    const elsewhere = '/apm/traces/00000000-0000-0000-0000-000000000000?api-version=2.0'
    await test.control.grids.update(test.gridId, { subscriptionState: 'expired' })
    expect(await inject({ ...bad, headers: keyless, url: elsewhere })).toMatchObject(problem('no-access'))
    expect(await inject({ ...bad, headers: keyless, url: traces })).toMatchObject(problem('no-active-subscription'))
    await test.control.grids.update(test.gridId, { subscriptionState: 'trial' })
    expect(await inject({ ...bad, method: 'PUT', headers: keyless, url })).toMatchObject(problem('insufficient-role'))
    expect(await inject({ ...bad, headers: keyless, url: traces })).toMatchObject(problem('missing-scope'))
  })

  it('goes on with the rate limit', async () => {
    const url = `/apm/traces/${test.gridId}?api-version=2.0`
    const headers = { ...bad.headers, ...reader }
    expect(await inject({ ...bad, headers, url })).toMatchObject(problem('unsupported-media-type'))
    expect(await inject({ ...bad, headers, url })).toMatchObject(problem('rate-limit-exceeded'))
  })

  it('goes on with parameters and body, and ends with the resource', async () => {
    const { ask, gridId, key, person } = test
    const wrong = `/apm/traces/${gridId}/details/xyz`
    expect(await ask({ url: wrong, headers: await key() })).toMatchObject(problem('invalid-parameter'))
    const unknown = `/apm/traces/${gridId}/details/${'a'.repeat(16)}`
    expect(await ask({ url: unknown, headers: await key() })).toMatchObject(problem('unknown-span'))
    const nowhere = '/apm/traces/00000000-0000-0000-0000-000000000000'
    const [first, second] = [await person('first', { admin: true }), await person('second', { admin: true })]
    expect(await ask({ url: `${nowhere}/details/xyz`, headers: first })).toMatchObject(problem('invalid-parameter'))
    expect(await ask({ url: `${nowhere}/filters`, headers: second })).toMatchObject(problem('unknown-grid'))
  })

  it('does not read a body before it has to', async () => {
    const payload = 'x'.repeat(2 * 1024 * 1024)
    const headers = { 'content-type': 'application/json', 'x-api-version': '2.0' }
    const url = `/apm/traces/${test.gridId}`
    expect(await inject({ method: 'POST', url: '/nowhere', payload, headers })).toMatchObject(problem('unknown-path'))
    expect(await inject({ method: 'PUT', url, payload, headers })).toMatchObject(problem('method-not-allowed'))
    expect(await inject({ method: 'POST', url, payload, headers })).toMatchObject(problem('missing-credential'))
    const known = { ...headers, ...(await test.key()) }
    expect(await inject({ method: 'POST', url, payload, headers: known })).toMatchObject(problem('body-too-large'))
  })
})
