import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { QueryTimeout, StoreUnavailable } from '../domain/store-errors.ts'
import { otlpHttp } from '../receive/http.ts'
import { createReceiverFixture, INGEST_KEY, READ_KEY } from '../receive/testing/receiver-fixture.ts'
import { createTestApp, problem, type TestApp } from './testing/test-app.ts'

let test: TestApp
afterEach(() => test.app.close())

const start = async (options: Parameters<typeof createTestApp>[0] = {}) => {
  test = await createTestApp(options)
  return { url: `/apm/traces/${test.gridId}/filters`, headers: await test.key() }
}

describe('problems', () => {
  it('have five fields and a media type of their own', async () => {
    await start()
    const answer = await test.ask({ url: '/nowhere?api-key=secret' })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.body).toEqual({
      type: 'urn:faultline:problem:unknown-path',
      title: 'Not Found',
      status: 404,
      detail: expect.any(String),
      instance: '/nowhere',
    })
  })

  it('say nothing of the inside of the server, and are logged under the request’s id', async () => {
    const request = await start()
    test.setReader({ traceFilterOptions: () => Promise.reject(new Error('SELECT secret FROM db.internal')) })
    const answer = await test.ask({ ...request, headers: { ...request.headers, 'x-request-id': 'find-me' } })
    expect(answer).toMatchObject({ ...problem('internal-error'), headers: { 'x-request-id': 'find-me' } })
    expect(answer.text).not.toContain('SELECT')
    const line = test.logged.find((each) => each.includes('SELECT secret'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ requestId: 'find-me', err: { stack: expect.any(String) } })
  })

  it('tell of a question that took too long, and of a store that cannot answer', async () => {
    const request = await start()
    test.setReader({ traceFilterOptions: () => Promise.reject(new QueryTimeout('after 10 s')) })
    const slow = await test.ask(request)
    expect(slow).toMatchObject(problem('query-timeout'))
    expect(slow.detail).toContain('narrower time window')
    test.setReader({ traceFilterOptions: () => Promise.reject(new StoreUnavailable('The disk is full.')) })
    const down = await test.ask(request)
    expect(down).toMatchObject({ ...problem('store-unavailable'), headers: { 'retry-after': '5' } })
    expect(down.detail).toBe('The disk is full.')
  })

  it('come from a badly encoded path and from one that is too long, too', async () => {
    await start()
    const badlyEncoded = await test.ask({ url: '/apm/traces/%zz/filters', headers: { 'x-request-id': 'odd' } })
    expect(badlyEncoded).toMatchObject({ ...problem('malformed-request'), headers: { 'x-request-id': 'odd' } })
    expect(await test.ask({ url: `/apm/traces/${'x'.repeat(5000)}/filters` })).toMatchObject(problem('uri-too-long'))
  })

  it('come from bodies that are no JSON, too large, or of another type', async () => {
    await start()
    const url = `/apm/traces/${test.gridId}`
    const post = async (payload: string, headers: Record<string, string> = {}) =>
      test.ask({
        method: 'POST',
        url,
        payload,
        headers: { 'content-type': 'application/json', ...headers, ...(await test.key()) },
      })
    expect(await post('{"rangeStart":')).toMatchObject(problem('malformed-body'))
    expect(await post('{"__proto__":{"admin":true}}')).toMatchObject(problem('malformed-body'))
    expect(await post(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject(problem('body-too-large'))
    expect(await post('{}', { 'content-type': 'text/plain' })).toMatchObject(problem('unsupported-media-type'))
    expect(await post('{}', { 'content-type': 'nonsense' })).toMatchObject(problem('unsupported-media-type'))
    expect(await post('{}', { 'content-encoding': 'gzip' })).toMatchObject(problem('unsupported-media-type'))
    expect(await post('')).toMatchObject(problem('invalid-body'))
    expect(await post('null')).toMatchObject(problem('invalid-body'))
    expect(await post('[]')).toMatchObject(problem('invalid-body'))
    expect(await post('{}', { 'content-type': 'application/json; charset=utf-8' })).toMatchObject({
      ...problem('invalid-body'),
      detail: expect.stringContaining('rangeStart'),
    })
  })
})

describe('methods', () => {
  it('answer HEAD as GET, without a body', async () => {
    const request = await start()
    const answer = await test.ask({ ...request, method: 'HEAD' })
    expect(answer).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': expect.stringContaining('json') },
    })
    expect((await test.ask({ ...request, method: 'HEAD', headers: {} })).status).toBe(401)
  })

  it('refuse every other one, and list those that there are', async () => {
    const request = await start()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      expect(await test.ask({ ...request, method: method as 'GET' })).toMatchObject({
        ...problem('method-not-allowed'),
        headers: { allow: 'GET, HEAD' },
      })
    }
    const keys = await test.ask({ ...request, method: 'PUT', url: `/apm/grids/${test.gridId}/keys` })
    expect(keys).toMatchObject({ headers: { allow: 'GET, HEAD, POST' } })
  })
})

describe('request ids', () => {
  it('are echoed where they are safe', async () => {
    const { url, headers } = await start()
    const idOf = async (id: string) =>
      (await test.ask({ url, headers: { ...headers, 'x-request-id': id } })).headers['x-request-id']
    const longest = 'aZ09._:-'.repeat(8)
    expect(await idOf(longest)).toBe(longest)
    for (const unsafe of ['', 'a b', '<script>', 'ü', `${longest}x`])
      expect(await idOf(unsafe)).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('are in every line of the log', async () => {
    const request = await start()
    await test.ask({ ...request, headers: { ...request.headers, 'x-request-id': 'find-me' } })
    expect(test.logged.map((line) => JSON.parse(line).requestId)).toEqual(['find-me'])
  })
})

describe('the log', () => {
  it('has one line for each request, which names the caller', async () => {
    const request = await start()
    await test.ask(request)
    expect(JSON.parse(test.logged.at(-1) ?? '{}')).toMatchObject({
      method: 'GET',
      path: request.url,
      status: 200,
      caller: expect.stringMatching(/^key:/),
    })
  })

  it('never holds a secret', async () => {
    const { url } = await start()
    const secret = 'very-secret-value'
    for (const path of [url, '/nowhere', '/docs/', '/apm/%zz', '/apm/grids']) {
      const headers = { 'api-key': secret, authorization: `Bearer ${secret}`, cookie: secret, 'x-request-id': 'x' }
      await test.ask({ url: `${path}?access_token=${secret}`, headers })
    }
    test.setReader({ traceFilterOptions: () => Promise.reject(new Error('broken')) })
    await test.ask({ url: `${url}?access_token=${secret}`, headers: await test.key() })
    expect(test.logged.length).toBeGreaterThan(4)
    expect(test.logged.join()).not.toContain(secret)
  })

  it('is spared the questions that machines ask all day', async () => {
    await start()
    for (const url of ['/healthz', '/readyz', '/metrics']) await test.ask({ url })
    expect(test.logged).toEqual([])
  })
})

describe('other origins', () => {
  const origin = 'https://ui.example'

  it('are not let in by default', async () => {
    const request = await start()
    const answer = await test.ask({ ...request, headers: { ...request.headers, origin } })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('are let in where they are configured, with their preflights', async () => {
    const request = await start({ corsOrigins: [origin] })
    const preflight = await test.app.inject({
      method: 'OPTIONS',
      url: request.url,
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'api-key' },
    })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toContain('API-Key')
    const allowed = await test.ask({ ...request, headers: { ...request.headers, origin } })
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    })
    const refused = await test.ask({ url: request.url, headers: { origin } })
    expect(refused.headers['access-control-allow-origin']).toBe(origin)
    const other = await test.ask({ ...request, headers: { ...request.headers, origin: 'https://other.example' } })
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('compression', () => {
  const options = { serviceNames: ['checkout'.repeat(1000)], operationNames: [], statusValues: [], tagKeys: [] }

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('is %s where the client asks for it', async (encoding, unpack) => {
    const { url, headers } = await start()
    test.setReader({ traceFilterOptions: async () => options })
    const response = await test.app.inject({
      url,
      headers: { ...headers, 'x-api-version': '2.0', 'accept-encoding': encoding },
    })
    expect(response.headers['content-encoding']).toBe(encoding)
    expect(JSON.parse(unpack(response.rawPayload).toString())).toEqual(options)
  })

  it('is left out where it is not asked for', async () => {
    const request = await start()
    test.setReader({ traceFilterOptions: async () => options })
    const answer = await test.ask(request)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body).toEqual(options)
  })
})

describe('what needs no key', () => {
  it('says whether the server is alive and ready', async () => {
    let reason: string | undefined = 'The store is being opened.'
    await start({ ready: async () => reason })
    expect(await test.ask({ url: '/healthz' })).toMatchObject({ status: 200, body: { status: 'alive' } })
    const answer = await test.app.inject('/readyz')
    expect(answer.json()).toMatchObject({ status: 503, detail: reason })
    reason = undefined
    expect((await test.app.inject('/readyz')).statusCode).toBe(200)
  })

  it('shows metrics and a way to the documentation', async () => {
    await start()
    const metrics = await test.app.inject('/metrics')
    expect(metrics.headers['content-type']).toContain('text/plain')
    expect(metrics.body).toBe('up 1\n')
    expect((await test.app.inject('/')).json()).toMatchObject({ docs: '/docs/' })
  })

  it('protects what a browser is shown', async () => {
    await start()
    const { headers } = await test.app.inject('/')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.any(String),
    })
    expect(headers['strict-transport-security']).toBeUndefined()
  })
})

describe('mounted parts', () => {
  it('give /oauth whole to its handler, with the body unread', async () => {
    await start({
      oauth: {
        handler: async (request, response) => {
          let body = ''
          for await (const chunk of request) body += chunk
          const answer = `${request.method} ${request.url} ${body}`
          Object.assign(request, { originalUrl: request.url, url: '/changed-for-itself' })
          response.writeHead(200, { 'content-type': 'text/plain' }).end(answer)
        },
      },
    })
    const response = await test.app.inject({
      method: 'POST',
      url: '/oauth/token?x=1',
      payload: 'grant_type=client_credentials',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.body).toBe('POST /oauth/token?x=1 grant_type=client_credentials')
    expect(test.logged.map((line) => JSON.parse(line).path)).toEqual(['/oauth/token'])
    const discovery = '/.well-known/oauth-authorization-server/oauth'
    expect((await test.app.inject(discovery)).body).toBe(`GET ${discovery} `)
  })

  it('let the OTLP receiver answer in its own words, without a version', async () => {
    const { receiver } = createReceiverFixture()
    await start({ plugins: [(scope) => otlpHttp(scope, { receiver })] })
    const post = (key: string, payload: string) =>
      test.app.inject({
        method: 'POST',
        url: '/v1/traces',
        payload,
        headers: { 'content-type': 'application/json', 'api-key': key },
      })
    expect((await post(INGEST_KEY, '{}')).statusCode).toBe(200)
    for (const [answer, status] of [
      [await post('wrong', '{}'), 401],
      [await post(READ_KEY, '{}'), 403],
      [await test.app.inject({ method: 'GET', url: '/v1/traces' }), 405],
    ] as const) {
      expect(answer).toMatchObject({ statusCode: status, headers: { 'x-request-id': expect.any(String) } })
      expect(answer.body).not.toContain('urn:faultline:problem')
    }
    expect(await test.ask({ method: 'POST', url: '/v1/nothing' })).toMatchObject(problem('unknown-path'))
  })
})
