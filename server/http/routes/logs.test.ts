import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { spanIdOf, traceIdOf } from '../../storage/conformance/column-filling.ts'
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

const RANGE = { rangeStart: '2026-03-01T10:00:00Z', rangeEnd: '2026-03-01T11:00:00Z' }
const get = (path: string) => test.ask({ url: `/apm/logs/${test.gridId}/${path}`, headers })
const search = (filter: object) =>
  test.ask({ method: 'POST', url: `/apm/logs/${test.gridId}`, headers, payload: filter })
const found = async (filter: object) =>
  (await search({ ...RANGE, ...filter })).body.items.map((item) => (item as { id: string }).id.slice(-1))

describe('search', () => {
  it('answers with pages of items', async () => {
    await test.write(
      [],
      [
        {
          id: 'aa',
          trace: 'bb',
          span: 'cc',
          atMs: 1000.5,
          severityNumber: 17,
          body: 'order 17 is lost',
          attributes: { n: 1, yes: true, list: [1] },
          resource: { host: 'h1' },
        },
      ],
    )
    expect((await search(RANGE)).body).toEqual({
      items: [
        {
          id: traceIdOf('aa'),
          timestamp: '2026-03-01T10:00:01.000Z',
          severityLevel: 'Error',
          body: 'order 17 is lost',
          serviceName: 'shop',
          traceId: traceIdOf('bb'),
          spanId: spanIdOf('cc'),
          attributes: { n: 1, yes: true, list: '[1]' },
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

  it('goes through pages, newest first, and past the last one', async () => {
    await test.write(
      [],
      [1, 2, 3].map((n) => ({ id: `${n}`, atMs: n })),
    )
    expect(await found({ pageSize: 2 })).toEqual(['3', '2'])
    expect(await found({ page: 2, pageSize: 2 })).toEqual(['1'])
    expect((await search({ ...RANGE, page: 9007199254740991, pageSize: 100 })).body).toMatchObject({
      items: [],
      totalCount: 3,
    })
  })

  it('hands every filter on', async () => {
    await test.write(
      [],
      [
        { id: '1', trace: 'ab', span: 'cd', atMs: 3, service: 'cart', body: 'Payment TIMED out' },
        { id: '2', atMs: 2, severityNumber: 13, attributes: { code: 502, ok: true }, body: 'payment refused' },
        { id: '3', atMs: 1, attributes: { code: '502' }, resource: { zone: 'eu' }, body: 'ПЛАТЁЖ принят' },
      ],
    )
    expect(await found({ severityLevel: 'Warning' })).toEqual(['2'])
    expect(await found({ serviceName: 'cart' })).toEqual(['1'])
    expect(await found({ body: 'payment' })).toEqual(['1', '2'])
    expect(await found({ body: '  OUT\tpayment ' })).toEqual(['1'])
    expect(await found({ body: 'платёж' })).toEqual(['3'])
    expect(await found({ body: ' ' })).toEqual(['1', '2', '3'])
    expect(await found({ traceId: traceIdOf('AB') })).toEqual(['1'])
    expect(await found({ spanId: spanIdOf('CD') })).toEqual(['1'])
    expect(await found({ attributes: { code: 502 } })).toEqual(['2', '3'])
    expect(await found({ attributes: { code: '502', ok: true } })).toEqual(['2'])
    expect(await found({ attributes: { zone: 'eu' } })).toEqual(['3'])
    expect(await found({ body: 'payment', severityLevel: 'Information' })).toEqual(['1'])
    expect(await found({ rangeStart: '2026-03-01T10:00:00.003Z' })).toEqual(['1'])
  })

  it.each([
    [{}, /^rangeStart is required/],
    [{ rangeStart: RANGE.rangeStart }, /^rangeEnd is required/],
    [{ ...RANGE, rangeEnd: 'later' }, /^rangeEnd must be an ISO 8601 datetime/],
    [{ ...RANGE, rangeEnd: RANGE.rangeStart }, 'rangeEnd must be after rangeStart.'],
    [
      { ...RANGE, severityLevel: 'error' },
      'severityLevel must be one of Trace, Debug, Information, Warning, Error, Fatal.',
    ],
    [{ ...RANGE, body: 5 }, 'body must be a string of at most 1024 characters.'],
    [{ ...RANGE, traceId: 'xyz' }, 'traceId must be 32 hex digits.'],
    [{ ...RANGE, spanId: traceIdOf('a') }, 'spanId must be 16 hex digits.'],
    [{ ...RANGE, attributes: { a: [] } }, 'attributes.a must be a string or a number or a boolean.'],
    [{ ...RANGE, page: 0 }, 'page must be an integer of at least 1.'],
    [{ ...RANGE, pageSize: 101 }, 'pageSize must be an integer of 1 to 100.'],
    [{ ...RANGE, tags: {} }, /^Unknown: tags\. Accepted: rangeStart, rangeEnd, severityLevel/],
  ])('refuses %j', async (filter, detail) => {
    const answer = await search(filter)
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toMatch(detail)
  })
})

describe('a log entry', () => {
  it('is shown whole by its id', async () => {
    await test.write([], [{ id: 'ab', severityNumber: 0, attributes: { a: null }, resource: { host: 'h1' } }])
    expect((await get(`details/${traceIdOf('AB')}`)).body).toEqual({
      id: traceIdOf('ab'),
      timestamp: '2026-03-01T10:00:00.000Z',
      severityLevel: 'Information',
      body: 'hello',
      serviceName: 'shop',
      traceId: '',
      spanId: '',
      attributes: { a: '' },
      severityNumber: 0,
      resource: { 'service.name': 'shop', host: 'h1' },
    })
  })

  it('is the first of a span by the id of the span', async () => {
    await test.write(
      [],
      [
        { id: '1', trace: 'a', span: 'ef', atMs: 5, body: 'second' },
        { id: '2', trace: 'a', span: 'ef', atMs: 4, body: 'first' },
      ],
    )
    expect((await get(`details/${spanIdOf('EF')}`)).body).toMatchObject({ id: traceIdOf('2'), body: 'first' })
  })

  it('is looked for with care', async () => {
    await test.write([{ id: '1' }], [{ id: '2' }])
    for (const id of [traceIdOf('404'), spanIdOf('404'), spanIdOf('1'), spanIdOf('0')])
      expect(await get(`details/${id}`)).toMatchObject(problem('unknown-log'))
    for (const wrong of ['xyz', 'a'.repeat(15), 'a'.repeat(31), 'g'.repeat(16), "'%20OR%201=1"]) {
      const answer = await get(`details/${wrong}`)
      expect(answer).toMatchObject(problem('invalid-parameter'))
      expect(answer.detail).toBe("id must be a log entry's id of 32 hex digits or a span's of 16.")
    }
  })
})

describe('patterns', () => {
  const patterns = async (query = '') =>
    get(`patterns?rangeStart=${RANGE.rangeStart}&rangeEnd=${RANGE.rangeEnd}${query}`)

  it('tell what the logs say, most common first, each with its newest entry', async () => {
    await test.write(
      [],
      [
        { id: '1', atMs: 1, severityNumber: 17, body: 'order 17 of Ann is lost' },
        { id: '2', atMs: 2, severityNumber: 17, body: 'order 18 of Bob is lost', attributes: { n: 1 } },
        { id: '3', atMs: 3, body: 'order 19 stored' },
      ],
    )
    const answer = await patterns()
    expect(answer.body).toEqual({
      items: [
        {
          pattern: 'order <*> of <*> is lost',
          severityLevel: 'Error',
          serviceName: 'shop',
          count: 2,
          firstSeen: '2026-03-01T10:00:00.001Z',
          lastSeen: '2026-03-01T10:00:00.002Z',
          example: {
            id: traceIdOf('2'),
            timestamp: '2026-03-01T10:00:00.002Z',
            severityLevel: 'Error',
            body: 'order 18 of Bob is lost',
            serviceName: 'shop',
            traceId: '',
            spanId: '',
            attributes: { n: 1 },
          },
        },
        expect.objectContaining({ pattern: 'order <*> stored', count: 1, severityLevel: 'Information' }),
      ],
      totalCount: 2,
      page: 1,
      pageSize: 20,
    })
  })

  it('come in pages and of what is asked for', async () => {
    await test.write(
      [],
      [
        { id: '1', body: 'stored' },
        { id: '2', body: 'Stored again', service: 'cart' },
        { id: '3', body: 'lost', severityNumber: 17 },
      ],
    )
    const asked = async (query: string) =>
      (await patterns(query)).body.items.map((item) => (item as { pattern: string }).pattern)
    expect((await patterns('&page=2&pageSize=2')).body).toMatchObject({ totalCount: 3, page: 2, pageSize: 2 })
    expect(await asked('&page=2&pageSize=2')).toHaveLength(1)
    expect(await asked('&page=9')).toEqual([])
    expect(await asked('&severityLevel=Error')).toEqual(['lost'])
    expect(await asked('&serviceName=cart')).toEqual(['Stored again'])
    expect(await asked('&body=STORED%20again')).toEqual(['Stored again'])
  })

  it('are refused without a range, and with a wrong one', async () => {
    expect((await get('patterns')).detail).toMatch(/^rangeStart is required/)
    const backwards = await get(`patterns?rangeStart=${RANGE.rangeEnd}&rangeEnd=${RANGE.rangeStart}`)
    expect(backwards).toMatchObject(problem('invalid-parameter'))
    expect(backwards.detail).toBe('rangeEnd must be after rangeStart.')
    expect((await patterns('&pageSize=101')).detail).toBe('pageSize must be an integer of 1 to 100.')
  })
})

describe('filters', () => {
  it('lists what is present, levels by rank', async () => {
    await test.write(
      [{ service: 'traced' }],
      [
        { id: '1', severityNumber: 21, service: 'b' },
        { id: '2', severityNumber: 5, service: 'a', attributes: { code: 1 } },
      ],
    )
    expect((await get('filters')).body).toEqual({
      severityLevels: ['Debug', 'Fatal'],
      serviceNames: ['a', 'b'],
      attributeKeys: ['code', 'service.name'],
    })
  })

  it('are empty where there is nothing', async () => {
    expect((await get('filters')).body).toEqual({ severityLevels: [], serviceNames: [], attributeKeys: [] })
  })
})
