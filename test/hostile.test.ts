import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, TRACES } from './api.ts'
import { expectProblem } from './expect-problem.ts'
import { HOSTILE_STRINGS } from './hostile-strings.ts'
import { sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, OWNER_KEY, type ServerProcess, startServer } from './server-process.ts'

const nowMs = Date.now()
const RANGE = {
  rangeStart: new Date(nowMs - 3_600_000).toISOString(),
  rangeEnd: new Date(nowMs + 60_000).toISOString(),
}
const HEALTH = `/apm/diagnostics/${GRID_ID}/health`
const ALL = HOSTILE_STRINGS.length

let dataDir: string
let server: ServerProcess
let before: unknown

/** One trace for each string, in which it is the service, the operation, a tag's key and a tag's value. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-hostile-'))
  server = await startServer(dataDir)
  for (const [i, hostile] of HOSTILE_STRINGS.entries()) {
    const attributes = [text(hostile, 'a key'), text('a value', hostile)]
    const span = { traceId: traceIdOf(i + 1), spanId: spanIdOf(i + 1), startMs: nowMs - 1000 - i, attributes }
    const { status } = await sendOtlp(server.url, 'traces', traceRequest([{ ...span, name: hostile }], hostile))
    expect(status).toBe(200)
  }
  before = await everything()
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const search = (filter: object) =>
  ask<{ items: object[]; totalCount: number }>(server, TRACES, { body: { ...RANGE, ...filter } })

/** All that can be read of the Grid. */
async function everything() {
  const details = HOSTILE_STRINGS.map(async (_, i) => (await ask(server, `${TRACES}/details/${spanIdOf(i + 1)}`)).body)
  const found = (await search({ pageSize: 100 })).body
  return { found, details: await Promise.all(details), filters: (await ask(server, `${TRACES}/filters`)).body }
}

it('finds what has such a name, and nothing else, whatever the name means elsewhere', async () => {
  for (const [i, hostile] of HOSTILE_STRINGS.entries()) {
    for (const filter of [
      { serviceName: hostile },
      { operationName: hostile },
      { tags: { [hostile]: 'a key' } },
      { tags: { 'a value': hostile } },
    ]) {
      const { status, body } = await search(filter)
      expect({ status, ...body }, JSON.stringify(filter)).toMatchObject({
        status: 200,
        totalCount: 1,
        items: [{ traceId: traceIdOf(i + 1), serviceName: hostile, operationName: hostile }],
      })
    }
  }
})

it('finds nothing for such strings where there is nothing', async () => {
  for (const hostile of HOSTILE_STRINGS) {
    const unknown = `${hostile}${hostile}-`
    for (const filter of [{ serviceName: unknown }, { operationName: unknown }, { tags: { [unknown]: unknown } }]) {
      expect((await search(filter)).body.totalCount, JSON.stringify(filter)).toBe(0)
    }
  }
})

it('refuses such strings where a filter takes no text, and names the field', async () => {
  for (const field of ['rangeStart', 'rangeEnd', 'status', 'minDuration', 'maxDuration', 'page', 'pageSize', 'tags']) {
    for (const hostile of HOSTILE_STRINGS.slice(0, 12)) {
      expectProblem(
        await ask(server, TRACES, { body: { ...RANGE, [field]: hostile } }),
        400,
        'invalid-body',
        new RegExp(field),
      )
    }
  }
})

it('refuses such strings as ids', async () => {
  for (const hostile of HOSTILE_STRINGS) {
    const id = encodeURIComponent(hostile).replaceAll('.', '%2E')
    for (const path of [`details/${id}`, `spans/${id}/tags`, `correlations/${id}/spans`]) {
      expectProblem(await ask(server, `${TRACES}/${path}`), 400, 'invalid-parameter', /spanId|traceId/)
    }
    expectProblem(await ask(server, `/apm/traces/${id}/filters`), 400, 'malformed-grid-id', /UUID/)
  }
})

it.each<[string, object, RegExp]>([
  ['an unknown field', { colour: 'red' }, /colour/],
  ['a field of another letter case', { ServiceName: 'shop' }, /ServiceName/],
  ['a start that is no datetime', { rangeStart: 'yesterday' }, /rangeStart/],
  ['a day that does not exist', { rangeStart: '2024-02-30T00:00:00Z' }, /rangeStart/],
  ['a number as a datetime', { rangeStart: 1700000000000 }, /rangeStart/],
  ['an end that is not after the start', { rangeEnd: RANGE.rangeStart }, /rangeEnd/],
  ['no start', { rangeStart: undefined }, /rangeStart/],
  ['a page before the first', { page: 0 }, /page/],
  ['half a page', { page: 1.5 }, /page/],
  ['an empty page', { pageSize: 0 }, /pageSize/],
  ['a page that is too large', { pageSize: 101 }, /pageSize/],
  ['a negative duration', { minDuration: -1 }, /minDuration/],
  ['durations the wrong way round', { minDuration: 2, maxDuration: 1 }, /maxDuration/],
  ['an unknown status', { status: 'ok' }, /status/],
  ['tags as a list', { tags: ['a'] }, /tags/],
  ['a tag without a value', { tags: { a: null } }, /tags/],
  ['a service that is no text', { serviceName: { $ne: '' } }, /serviceName/],
])('refuses a search with %s', async (_, filter, detail) => {
  expectProblem(await ask(server, TRACES, { body: { ...RANGE, ...filter } }), 400, 'invalid-body', detail)
})

it.each(['', '{', 'null', '[]', '"text"', '7', '{"rangeStart":', '{"__proto__":{"admin":true}}', '\u0000', '{}{}'])(
  'refuses the body %j',
  async (body) => {
    const answer = await ask(server, TRACES, { body })
    expect(answer.body['type']).toMatch(/urn:faultline:problem:(malformed|invalid)-body/)
    expectProblem(answer, 400, String(answer.body['type']).split(':')[3] ?? '')
  },
)

it('refuses a body that is not JSON by its content type, and one that is compressed', async () => {
  for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const answer = await ask(server, TRACES, { body: RANGE, headers: { 'content-type': type } })
    expectProblem(answer, 415, 'unsupported-media-type')
  }
  const zipped = await ask(server, TRACES, { body: RANGE, headers: { 'content-encoding': 'gzip' } })
  expectProblem(zipped, 415, 'unsupported-media-type')
})

it('answers 413 to a body of 100 MB, whether its length is told or not', async () => {
  for (const chunked of [false, true]) expect(await postLarge(100_000_000, chunked)).toMatchObject(TOO_LARGE)
})

it('answers 413 to a body just over 1 MiB, and reads one that is just within', async () => {
  const padding = (bytes: number) => JSON.stringify(RANGE).padEnd(bytes, ' ')
  expectProblem(await ask(server, TRACES, { body: padding(1024 * 1024 + 1) }), 413, 'body-too-large', /1 MiB/)
  expect((await ask(server, TRACES, { body: padding(1024 * 1024) })).status).toBe(200)
})

it('asks for one version that it knows, before anything else', async () => {
  const version = (value: string | undefined, query = '') =>
    ask(server, `${HEALTH}${query}`, { headers: { 'x-api-version': value, 'api-key': undefined } })
  expectProblem(await version(undefined), 400, 'missing-version', /api-version=2\.0/)
  expectProblem(await version(undefined, '?api-version='), 400, 'missing-version')
  for (const wrong of ['1.0', '2', '2.00', '3.0', 'latest', `' OR 1=1`]) {
    expectProblem(await version(wrong), 400, 'unsupported-version', /2\.0/)
    const query = `?api-version=${encodeURIComponent(wrong)}`
    expectProblem(await version(undefined, query), 400, 'unsupported-version', /2\.0/)
  }
  expectProblem(await version('2.0', '?api-version=1.0'), 400, 'conflicting-versions')
  expectProblem(await version('2.0', '?api-version=2.0'), 401, 'missing-credential')
})

it('knows no other paths and no other methods', async () => {
  for (const path of [
    '/apm',
    '/apm/traces',
    `${TRACES}/details`,
    `${TRACES}/`,
    '/v1',
    '/v2/traces',
    '/.env',
    '/admin',
    '//',
  ]) {
    expectProblem(
      await ask(server, path, { headers: { 'api-key': undefined, 'x-api-version': undefined } }),
      404,
      'unknown-path',
    )
  }
  for (const [method, path, allow] of [
    ['DELETE', TRACES, 'POST'],
    ['POST', HEALTH, 'GET'],
    ['PATCH', `/apm/grids/${GRID_ID}`, 'GET'],
    ['PUT', '/healthz', 'GET'],
  ] as const) {
    const answer = await ask(server, path, { method, headers: { 'api-key': undefined } })
    expectProblem(answer, 405, 'method-not-allowed')
    expect(answer.headers.get('allow')).toContain(allow)
  }
})

it('answers 404 for a span and a trace that do not exist', async () => {
  for (const path of [`details/${'f'.repeat(16)}`, `spans/${'f'.repeat(16)}/tags`, `spans/${'F'.repeat(16)}/events`]) {
    expectProblem(await ask(server, `${TRACES}/${path}`), 404, 'unknown-span')
  }
  for (const list of ['spans', 'logs', 'errors']) {
    expectProblem(await ask(server, `${TRACES}/correlations/${'f'.repeat(32)}/${list}`), 404, 'unknown-trace')
  }
})

it.each([
  ['no HTTP at all', 'hello\r\n\r\n', '400'],
  ['a request without a Host', `GET ${HEALTH} HTTP/1.1\r\n\r\n`, '400'],
  ['a path that is not properly encoded', 'GET /apm/traces/%zz HTTP/1.1\r\nHost: x\r\n\r\n', '400'],
  ['headers of 100 KB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, '431'],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', '400'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '400',
  ],
])('answers %s with a problem', async (_, bytes, status) => {
  const answer = await exchange(bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*application/problem\\+json.*"status":${status}`, 's'))
})

it('goes on serving after all of this, and the data is as it was', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await everything()).toEqual(before)
  expect((before as { found: { totalCount: number } }).found.totalCount).toBe(ALL)
  expect(server.output()).not.toContain('internal-error')
  expect(server.output()).not.toContain(OWNER_KEY)
})

const TOO_LARGE = { status: 413, type: 'application/problem+json', body: expect.stringContaining('body-too-large') }

/** Node's own client, because it tells of an answer that comes before the whole body was sent. */
async function postLarge(bytes: number, chunked: boolean) {
  const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }
  const headers = { 'api-key': OWNER_KEY, 'x-api-version': '2.0', 'content-type': 'application/json', ...length }
  const sending = request(`${server.url}${TRACES}`, { method: 'POST', headers })
  sending.on('error', () => undefined)
  const answered = once(sending, 'response')
  // The answer is waited for as soon as the server knows enough to refuse: it closes the connection on whoever sends on.
  sending.flushHeaders()
  if (chunked) sending.write(Buffer.alloc(2_000_000, ' '))
  const [response] = await answered
  let body = ''
  for await (const chunk of response) body += chunk
  sending.destroy()
  return { status: response.statusCode, type: response.headers['content-type'], body }
}

async function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.end(bytes)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}
