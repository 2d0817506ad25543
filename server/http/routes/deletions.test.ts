import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let owner: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
})
afterAll(() => test.app.close())

beforeEach(async () => {
  await test.useNewGrid()
  owner = await test.key()
})

function ask(method: 'GET' | 'POST', path = '', payload?: object) {
  const url = `/apm/grids/${test.gridId}/deletions${path}`
  return test.ask({ method, url, headers: owner, ...(payload && { payload }) })
}

const ANN = { attribute: 'user.id', value: 'ann-like-no-other' }

it('a deletion waits, says how far it is, and nobody is shown the value, the audit log neither', async () => {
  const { status, body } = await ask('POST', '', ANN)
  expect([status, body]).toMatchObject([201, { attribute: 'user.id', state: 'waiting', hoursTotal: null, error: '' }])
  const { deletions } = test.control
  expect(await deletions.next()).toMatchObject({
    id: body.id,
    value: ANN.value,
    signals: ['traces', 'logs', 'metrics'],
  })
  await deletions.begin(body.id, 2, 1000)
  await deletions.hourDone(body.id, { spans: 1, logRecords: 2, metricPoints: 3 })
  await deletions.hourDone(body.id, { spans: 1, logRecords: 0, metricPoints: 0 })
  expect((await ask('GET', `/${body.id}`)).body).toMatchObject({
    ...{ state: 'running', hoursDone: 2, hoursTotal: 2, finishedAt: null },
    deleted: { spans: 2, logRecords: 2, metricPoints: 3 },
  })
  await deletions.failed(body.id, 'no room')
  expect((await ask('GET', `/${body.id}`)).body).toMatchObject({ error: 'no room' })
  await deletions.finish(body.id, 2000)
  expect(await deletions.next()).toBeUndefined()
  const list = await ask('GET')
  expect(list.body).toMatchObject({ totalCount: 1, items: [{ state: 'finished', error: '' }] })
  const audit = await test.ask({ url: `/apm/grids/${test.gridId}/audit`, headers: owner })
  expect(audit.text).toContain('Delete records that carry a value')
  for (const { text } of [list, audit, await ask('GET', `/${body.id}`)]) expect(text).not.toContain(ANN.value)
})

it('what was found in such records is forgotten with it', async () => {
  const { events, deletions } = test.control
  const event = { atMs: 1000, severity: 'info' as const, serviceName: 'web' }
  const details = { attributes: 'user.id' }
  await events.record(
    test.gridId,
    [
      { ...event, key: '1', type: 'configuration', description: `changed user.id from a to ${ANN.value}`, details },
      { ...event, key: '2', type: 'configuration', description: 'changed user.id from a to b', details },
    ],
    1000,
  )
  const { body } = await ask('POST', '', ANN)
  await deletions.finish(body.id, 2000)
  const left = await events.list(test.gridId, { startMs: 0, endMs: 5000 })
  expect(left.map(({ key }) => key)).toEqual(['2'])
})

it.each([
  ['no attribute', { value: 'a' }],
  ['no value', { attribute: 'a' }],
  ['unknown signals', { ...ANN, signals: ['smoke'] }],
  ['no signals', { ...ANN, signals: [] }],
  ['a value that is too long', { ...ANN, value: 'a'.repeat(65_537) }],
])('refuses %s', async (_, payload) => {
  expect(await ask('POST', '', payload)).toMatchObject(problem('invalid-body'))
})

it('refuses one too many, and knows those of its own Grid only', async () => {
  const { body } = await ask('POST', '', ANN)
  const other = { signals: ['logs' as const], requestedBy: 'test', ...ANN }
  for (let i = 1; i < 100; i++) await test.control.deletions.create(test.gridId, other, 0)
  expect((await ask('POST', '', ANN)).detail).toBe('A Grid may have at most 100 deletions that are not finished.')
  await test.useNewGrid()
  owner = await test.key()
  expect(await ask('GET', `/${body.id}`)).toMatchObject(problem('unknown-deletion'))
  expect((await ask('GET')).body.totalCount).toBe(0)
})
