import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { spanIdOf, traceIdOf } from '../../storage/conformance/column-filling.ts'
import { atNs } from '../../storage/conformance/test-time.ts'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let headers: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
})
beforeEach(async () => {
  await test.useNewGrid()
  headers = await test.key('Guest', ['read'])
})
afterAll(() => test.app.close())

const get = (path: string) => test.ask({ url: `/apm/traces/${test.gridId}/${path}`, headers })
const RANGE = { rangeStart: '2026-03-01T10:00:00Z', rangeEnd: '2026-03-01T11:00:00Z' }
const search = (filter: object) =>
  test.ask({ method: 'POST', url: `/apm/traces/${test.gridId}`, headers, payload: filter })
const found = async (filter: object) =>
  (await search({ ...RANGE, ...filter })).body.items.map((item) => (item as { spanId: string }).spanId.slice(-1))

describe('search', () => {
  it('answers with pages of items', async () => {
    await test.write([
      { trace: 'aa', id: 'bb', operation: 'POST /orders', durationMs: 12.5, status: 'ERROR', atMs: 1000 },
    ])
    expect((await search(RANGE)).body).toEqual({
      items: [
        {
          traceId: traceIdOf('aa'),
          spanId: spanIdOf('bb'),
          serviceName: 'shop',
          operationName: 'POST /orders',
          duration: 13,
          status: 'ERROR',
          startTime: '2026-03-01T10:00:01.000Z',
          endTime: '2026-03-01T10:00:01.012Z',
        },
      ],
      totalCount: 1,
      page: 1,
      pageSize: 20,
    })
  })

  it('is empty where there is nothing', async () => {
    expect((await search(RANGE)).body).toEqual({ items: [], totalCount: 0, page: 1, pageSize: 20 })
  })

  it('goes through pages, and past the last one', async () => {
    await test.write(['1', '2', '3'].map((id) => ({ trace: id, id, atMs: Number(id) })))
    expect(await found({ pageSize: 2 })).toEqual(['3', '2'])
    expect((await search({ ...RANGE, page: 2, pageSize: 2 })).body).toMatchObject({
      totalCount: 3,
      page: 2,
      pageSize: 2,
    })
    expect(await found({ page: 2, pageSize: 2 })).toEqual(['1'])
    expect((await search({ ...RANGE, page: 9007199254740991, pageSize: 100 })).body).toMatchObject({
      items: [],
      totalCount: 3,
    })
  })

  it('hands every filter on', async () => {
    await test.write([
      { trace: '1', id: '1', service: 'cart', operation: 'GET /a', durationMs: 10, attributes: { code: 502 } },
      {
        trace: '2',
        id: '2',
        service: 'shop',
        operation: 'GET /b',
        durationMs: 20,
        attributes: { code: '502', ok: true },
      },
      {
        trace: '3',
        id: '3',
        service: 'shop',
        operation: 'GET /b',
        durationMs: 30,
        status: 'ERROR',
        resource: { zone: 'eu' },
      },
    ])
    expect(await found({ serviceName: 'cart' })).toEqual(['1'])
    expect((await found({ operationName: 'GET /b' })).sort()).toEqual(['2', '3'])
    expect((await found({ minDuration: 20 })).sort()).toEqual(['2', '3'])
    expect((await found({ maxDuration: 20 })).sort()).toEqual(['1', '2'])
    expect(await found({ status: 'ERROR' })).toEqual(['3'])
    expect((await found({ tags: { code: 502 } })).sort()).toEqual(['1', '2'])
    expect((await found({ tags: { code: '502' } })).sort()).toEqual(['1', '2'])
    expect(await found({ tags: { code: 502, ok: true } })).toEqual(['2'])
    expect(await found({ tags: { zone: 'eu' } })).toEqual(['3'])
  })

  it('takes times in any offset, to the nanosecond, and far out of range', async () => {
    await test.write([{ id: '1', startNs: atNs(0) + 5n }])
    expect(await found({ rangeStart: '2026-03-01T11:00:00.000000005+01:00' })).toEqual(['1'])
    expect(await found({ rangeStart: '2026-03-01T10:00:00.000000006' })).toEqual([])
    expect(await found({ rangeEnd: '2026-03-01T10:00:00.000000005Z' })).toEqual([])
    expect(await found({ rangeStart: '0001-01-01T00:00:00Z', rangeEnd: '9999-12-31T23:59:59Z' })).toEqual(['1'])
    expect(await found({ rangeStart: '9998-12-31T23:59:59Z', rangeEnd: '9999-12-31T23:59:59Z' })).toEqual([])
  })

  it.each([
    [{}, 'rangeStart is required: an ISO 8601 datetime such as 2024-05-01T12:00:00Z.'],
    [{ rangeStart: RANGE.rangeStart }, /^rangeEnd is required/],
    [{ ...RANGE, rangeStart: 'yesterday' }, /^rangeStart must be an ISO 8601 datetime/],
    [{ ...RANGE, rangeStart: '2026-02-30T00:00:00Z' }, /^rangeStart must be/],
    [{ ...RANGE, rangeEnd: 1772359200000 }, /^rangeEnd must be/],
    [{ ...RANGE, rangeEnd: null }, /^rangeEnd must be/],
    [{ ...RANGE, rangeEnd: RANGE.rangeStart }, 'rangeEnd must be after rangeStart.'],
    [{ rangeStart: RANGE.rangeEnd, rangeEnd: RANGE.rangeStart }, 'rangeEnd must be after rangeStart.'],
    [{ ...RANGE, serviceName: 5 }, 'serviceName must be a string of at most 1024 characters.'],
    [{ ...RANGE, minDuration: '5' }, 'minDuration must be an integer of at least 0.'],
    [{ ...RANGE, minDuration: 1.5 }, 'minDuration must be an integer of at least 0.'],
    [{ ...RANGE, maxDuration: -1 }, 'maxDuration must be an integer of at least 0.'],
    [{ ...RANGE, minDuration: 5, maxDuration: 4 }, 'maxDuration must be at least minDuration.'],
    [{ ...RANGE, status: 'error' }, 'status must be one of OK, ERROR.'],
    [
      { ...RANGE, tags: ['a'] },
      'tags must be an object of at most 64 fields, each value a string or a number or a boolean.',
    ],
    [{ ...RANGE, tags: { a: { b: 1 } } }, 'tags.a must be a string or a number or a boolean.'],
    [{ ...RANGE, tags: { 'a/b\nc': null } }, /^tags\.a\/b\nc must be a string/],
    [{ ...RANGE, page: 0 }, 'page must be an integer of at least 1.'],
    [{ ...RANGE, pageSize: 0 }, 'pageSize must be an integer of 1 to 100.'],
    [{ ...RANGE, pageSize: 101 }, 'pageSize must be an integer of 1 to 100.'],
    [{ ...RANGE, pageSize: '20' }, 'pageSize must be an integer of 1 to 100.'],
    [{ ...RANGE, service: 'x' }, /^Unknown: service\. Accepted: rangeStart, rangeEnd, serviceName/],
  ])('refuses %j', async (filter, detail) => {
    const answer = await search(filter)
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toMatch(detail)
  })

  it('names only a few of many unknown fields, and only the beginning of a long one', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${'x'.repeat(100)}${n}`, 1]))
    const { detail } = await search({ ...RANGE, ...many })
    expect(detail.length).toBeLessThan(600)
  })
})

describe('a span', () => {
  it('is shown whole, with what its resource adds', async () => {
    await test.write([
      {
        trace: 'aa',
        id: 'bb',
        parent: 'cc',
        operation: 'GET /',
        kind: 'CLIENT',
        status: 'ERROR',
        statusMessage: 'timeout',
        durationNs: 1_499_999n,
        attributes: { text: 'a', whole: 5, part: 0.125, yes: true, list: [1, 'b'], map: { c: null }, zone: 'span' },
        resource: { zone: 'resource', host: 'h1' },
      },
    ])
    expect((await get(`details/${spanIdOf('BB')}`)).body).toEqual({
      traceId: traceIdOf('aa'),
      spanId: spanIdOf('bb'),
      parentSpanId: spanIdOf('cc'),
      serviceName: 'shop',
      operationName: 'GET /',
      spanKind: 'CLIENT',
      status: 'ERROR',
      statusMessage: 'timeout',
      startTime: '2026-03-01T10:00:00.000Z',
      endTime: '2026-03-01T10:00:00.001Z',
      duration: 1,
      attributes: {
        text: 'a',
        whole: 5,
        part: 0.125,
        yes: true,
        list: '[1,"b"]',
        map: '{"c":null}',
        zone: 'span',
        host: 'h1',
        'service.name': 'shop',
      },
    })
  })

  it('has null for a parent where it is a root, OK for a status unless it failed, and text for what has no value', async () => {
    await test.write([{ id: 'a', kind: 'INTERNAL', attributes: { nothing: null } }])
    expect((await get(`details/${spanIdOf('a')}`)).body).toMatchObject({
      parentSpanId: null,
      status: 'OK',
      spanKind: 'INTERNAL',
      statusMessage: '',
      attributes: { nothing: '' },
    })
  })

  it('shows keys that mean something to the language as any other', async () => {
    const attributes = JSON.parse('{"__proto__":"a","constructor":"b"}')
    await test.write([{ id: 'a', attributes }])
    expect((await get(`spans/${spanIdOf('a')}/tags`)).text).toContain('"tags":{"__proto__":"a","constructor":"b"}')
    expect((await get(`details/${spanIdOf('a')}`)).text).toContain('"__proto__":"a"')
  })

  it('has tags of its own', async () => {
    await test.write([{ id: 'a', attributes: { code: 502, list: ['x'] }, resource: { host: 'h1' } }])
    expect((await get(`spans/${spanIdOf('A')}/tags`)).body).toEqual({
      spanId: spanIdOf('a'),
      tags: { code: 502, list: '["x"]' },
    })
  })

  it('has events', async () => {
    await test.write([{ id: 'a', events: [{ name: 'retry', timeNs: atNs(1.5), attributes: { n: 1 } }] }, { id: 'b' }])
    expect((await get(`spans/${spanIdOf('A')}/events`)).body).toEqual({
      spanId: spanIdOf('a'),
      events: [{ name: 'retry', timestamp: '2026-03-01T10:00:00.001Z', attributes: { n: 1 } }],
    })
    expect((await get(`spans/${spanIdOf('b')}/events`)).body).toEqual({ spanId: spanIdOf('b'), events: [] })
  })

  it.each(['details/:id', 'spans/:id/tags', 'spans/:id/events'])('is looked for by %s with care', async (path) => {
    expect(await get(path.replace(':id', spanIdOf('a')))).toMatchObject(problem('unknown-span'))
    for (const wrong of ['xyz', 'a'.repeat(15), 'a'.repeat(17), 'g'.repeat(16), "'%20OR%201=1"]) {
      const answer = await get(path.replace(':id', wrong))
      expect(answer).toMatchObject(problem('invalid-parameter'))
      expect(answer.detail).toBe('spanId must be 16 hex digits.')
    }
  })
})

describe('a trace', () => {
  const of = (what: string, id = traceIdOf('AA')) => get(`correlations/${id}/${what}`)

  it('has spans, ascending, and says how many', async () => {
    await test.write([
      { trace: 'aa', id: '2', parent: '1', atMs: 5, kind: 'SERVER', durationMs: 2 },
      { trace: 'aa', id: '1', atMs: 5, operation: 'root' },
      { trace: 'bb', id: '3' },
    ])
    const answer = await of('spans')
    expect(answer.headers['x-total-count']).toBe('2')
    expect(answer.body).toEqual({
      traceId: traceIdOf('aa'),
      spans: [
        {
          spanId: spanIdOf('1'),
          parentSpanId: null,
          serviceName: 'shop',
          operationName: 'root',
          spanKind: 'INTERNAL',
          status: 'OK',
          startTime: '2026-03-01T10:00:00.005Z',
          duration: 10,
        },
        expect.objectContaining({
          spanId: spanIdOf('2'),
          parentSpanId: spanIdOf('1'),
          spanKind: 'SERVER',
          duration: 2,
        }),
      ],
    })
  })

  it('has logs, ascending', async () => {
    await test.write(
      [],
      [
        { trace: 'aa', span: '1', atMs: 2, body: 'second', severityNumber: 17, attributes: { n: 1 } },
        { trace: 'aa', atMs: 1, body: 'first', severityNumber: 0 },
      ],
    )
    expect((await of('logs')).body).toEqual({
      traceId: traceIdOf('aa'),
      logs: [
        {
          timestamp: '2026-03-01T10:00:00.001Z',
          severityLevel: 'Information',
          body: 'first',
          serviceName: 'shop',
          spanId: '',
          attributes: {},
        },
        {
          timestamp: '2026-03-01T10:00:00.002Z',
          severityLevel: 'Error',
          body: 'second',
          serviceName: 'shop',
          spanId: spanIdOf('1'),
          attributes: { n: 1 },
        },
      ],
    })
  })

  it('has errors, ascending, from spans and logs', async () => {
    const exception = { 'exception.type': 'Timeout', 'exception.message': 'too slow', 'exception.stacktrace': 'at a' }
    await test.write(
      [
        {
          trace: 'aa',
          id: '1',
          atMs: 1,
          status: 'ERROR',
          durationMs: 9,
          attributes: { 'http.response.status_code': 503 },
        },
        {
          trace: 'aa',
          id: '2',
          status: 'ERROR',
          events: [{ name: 'exception', timeNs: atNs(4), attributes: exception }],
        },
        { trace: 'aa', id: '3' },
      ],
      [{ trace: 'aa', span: '3', atMs: 2, body: 'broken', attributes: { 'exception.type': 'Refused' } }],
    )
    expect((await of('errors')).body).toEqual({
      traceId: traceIdOf('aa'),
      errors: [
        {
          timestamp: '2026-03-01T10:00:00.002Z',
          spanId: spanIdOf('3'),
          serviceName: 'shop',
          exceptionType: 'Refused',
          message: 'broken',
          stackTrace: '',
          attributes: { 'exception.type': 'Refused' },
        },
        {
          timestamp: '2026-03-01T10:00:00.004Z',
          spanId: spanIdOf('2'),
          serviceName: 'shop',
          exceptionType: 'Timeout',
          message: 'too slow',
          stackTrace: 'at a',
          attributes: exception,
        },
        {
          timestamp: '2026-03-01T10:00:00.010Z',
          spanId: spanIdOf('1'),
          serviceName: 'shop',
          exceptionType: '503',
          message: '',
          stackTrace: '',
          attributes: { 'http.response.status_code': 503 },
        },
      ],
    })
  })

  it('is known by its logs alone, and by its spans alone', async () => {
    await test.write([{ trace: 'bb' }], [{ trace: 'aa' }])
    expect((await of('spans')).body).toEqual({ traceId: traceIdOf('aa'), spans: [] })
    expect((await of('errors')).body).toEqual({ traceId: traceIdOf('aa'), errors: [] })
    expect((await of('logs', traceIdOf('bb'))).body).toEqual({ traceId: traceIdOf('bb'), logs: [] })
    expect((await of('errors', traceIdOf('bb'))).body).toEqual({ traceId: traceIdOf('bb'), errors: [] })
  })

  it.each(['spans', 'logs', 'errors'])('is looked for by %s with care', async (what) => {
    await test.write([{ trace: 'bb' }], [{ trace: 'bb' }])
    expect(await of(what)).toMatchObject(problem('unknown-trace'))
    for (const wrong of ['xyz', 'a'.repeat(31), 'a'.repeat(33), 'z'.repeat(32)]) {
      const answer = await of(what, wrong)
      expect(answer).toMatchObject(problem('invalid-parameter'))
      expect(answer.detail).toBe('traceId must be 32 hex digits.')
    }
  })
})

it('lists filter options, which are empty at first', async () => {
  expect((await get('filters')).body).toEqual({ serviceNames: [], operationNames: [], statusValues: [], tagKeys: [] })
  await test.write([
    { service: 'b', operation: 'z', attributes: { k: 1 } },
    { trace: '2', id: '2', service: 'a', status: 'ERROR' },
  ])
  expect((await get('filters')).body).toMatchObject({
    serviceNames: ['a', 'b'],
    operationNames: ['GET /', 'z'],
    statusValues: ['ERROR', 'OK'],
    tagKeys: expect.arrayContaining(['k']),
  })
})

it('never shows what belongs to another Grid', async () => {
  await test.write([{ trace: 'aa', id: 'a' }], [{ trace: 'aa' }])
  const other = await test.control.grids.create({ name: 'other' })
  const admin = await test.person('root', { admin: true })
  const url = `/apm/traces/${other.id}`
  expect(await test.ask({ url: `${url}/details/${spanIdOf('a')}`, headers: admin })).toMatchObject(
    problem('unknown-span'),
  )
  expect(await test.ask({ url: `${url}/correlations/${traceIdOf('aa')}/logs`, headers: admin })).toMatchObject(
    problem('unknown-trace'),
  )
})
