import { afterEach, describe, expect, it } from 'vitest'
import { createTestApp, NOW_MS, problem, type TestApp } from './testing/test-app.ts'

let test: TestApp
afterEach(() => test.app.close())

const start = async (callerPerMinute: number, gridPerMinute: number) => {
  test = await createTestApp({ limits: { callerPerMinute, gridPerMinute } })
  return { url: `/apm/traces/${test.gridId}/filters`, headers: await test.key() }
}

const limitsOf = ({ headers }: { headers: Record<string, unknown> }) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => headers[name])

describe('rate limits', () => {
  it('are shown in every answer, also where it is an error', async () => {
    const request = await start(60, 3000)
    expect(limitsOf(await test.ask(request))).toEqual(['60', '59', '1'])
    expect(limitsOf(await test.ask({ ...request, url: `/apm/traces/${test.gridId}/details/x` }))).toEqual([
      '60',
      '58',
      '2',
    ])
    expect(limitsOf(await test.ask({ ...request, url: '/apm/traces/x/filters' }))).toEqual(['60', '58', '2'])
    expect(limitsOf(await test.ask({ ...request, url: '/apm/grids' }))).toEqual(['60', '57', '3'])
  })

  it('refuse a caller who asks too often, until enough time has passed', async () => {
    const request = await start(2, 3000)
    expect([(await test.ask(request)).status, (await test.ask(request)).status]).toEqual([200, 200])
    const refused = await test.ask(request)
    expect(refused).toMatchObject({ ...problem('rate-limit-exceeded'), headers: { 'retry-after': '30' } })
    expect(limitsOf(refused)).toEqual(['2', '0', '60'])
    expect((await test.ask({ ...request, headers: await test.key() })).status).toBe(200)
    test.setNow(NOW_MS + 30_000)
    expect((await test.ask(request)).status).toBe(200)
  })

  it('refuse everybody where a Grid is asked too often', async () => {
    const request = await start(600, 2)
    expect(limitsOf(await test.ask(request))).toEqual(['2', '1', '30'])
    await test.ask({ ...request, headers: await test.key() })
    expect(await test.ask({ ...request, headers: await test.key() })).toMatchObject(problem('rate-limit-exceeded'))
    expect((await test.ask({ ...request, url: '/apm/grids' })).status).toBe(200)
  })

  it('are those of the Grid where it has its own', async () => {
    const request = await start(600, 3000)
    await test.control.grids.update(test.gridId, { rateLimitCaller: 5 })
    expect(limitsOf(await test.ask(request))[0]).toBe('5')
    await test.control.grids.update(test.gridId, { rateLimitCaller: 5000, rateLimitGrid: 4000 })
    expect(limitsOf(await test.ask(request))[0]).toBe('4000')
  })
})

describe('questions at once', () => {
  it('are limited for each caller; more of them wait, and are refused in the end', async () => {
    const limits = { callerPerMinute: 600, gridPerMinute: 3000, questionWaitMs: 10 }
    test = await createTestApp({ limits })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const options = { serviceNames: [], operationNames: [], statusValues: [], tagKeys: [] }
    test.setReader({ traceFilterOptions: () => held.then(() => options) })
    const request = { url: `/apm/traces/${test.gridId}/filters`, headers: await test.key() }
    const running = Array.from({ length: 4 }, () => test.ask(request))
    const refused = await test.ask(request)
    expect(refused).toMatchObject({ ...problem('too-many-questions'), headers: { 'retry-after': '1' } })
    expect((await test.ask({ ...request, url: '/apm/grids' })).status).toBe(200)
    const other = test.ask({ ...request, headers: await test.key() })
    release()
    expect((await Promise.all([...running, other])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await test.ask(request)).status).toBe(200)
  })
})
