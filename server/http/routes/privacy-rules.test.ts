import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { PrivacyPolicy } from '../../domain/privacy-rule.ts'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let owner: Record<string, string>
const applied = new Map<string, PrivacyPolicy>()

beforeAll(async () => {
  test = await createTestApp({ privacy: { setPrivacy: async (gridId, policy) => void applied.set(gridId, policy) } })
})
afterAll(() => test.app.close())

beforeEach(async () => {
  await test.useNewGrid()
  owner = await test.key()
})

function ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', payload?: object) {
  const url = `/apm/grids/${test.gridId}/privacy-rules${path}`
  return test.ask({ method, url, headers: owner, ...(payload && { payload }) })
}

const MAILS = { name: 'Mails', preset: 'emails', action: 'redact' }

it('a rule has defaults, is applied when it is made or changed, and no longer when it is removed', async () => {
  const { status, body } = await ask('POST', '', MAILS)
  expect([status, body]).toMatchObject([201, { ...MAILS, key: null, pattern: null, enabled: true }])
  expect(body['places']).toHaveLength(6)
  expect(applied.get(test.gridId)?.rules).toMatchObject([{ preset: 'emails' }])
  const changed = await ask('PUT', `/${body.id}`, { ...MAILS, preset: 'cards', places: ['log-bodies'] })
  expect(changed.body).toMatchObject({ id: body.id, preset: 'cards', places: ['log-bodies'] })
  expect(applied.get(test.gridId)?.rules).toMatchObject([{ preset: 'cards', places: ['log-bodies'] }])
  expect((await ask('GET', `/${body.id}`)).body).toEqual(changed.body)
  expect((await ask('DELETE', `/${body.id}`)).status).toBe(204)
  expect(applied.get(test.gridId)?.rules).toEqual([])
  expect(await ask('GET', `/${body.id}`)).toMatchObject(problem('unknown-privacy-rule'))
  expect(await ask('PUT', `/${body.id}`, MAILS)).toMatchObject(problem('unknown-privacy-rule'))
  expect(await ask('DELETE', `/${body.id}`)).toMatchObject(problem('unknown-privacy-rule'))
})

it('rules are listed in the order in which they were made, and the secret of the hashes stays the same', async () => {
  await ask('POST', '', { ...MAILS, name: 'z' })
  const secret = applied.get(test.gridId)?.hashSecret
  expect(secret).toHaveLength(43)
  await ask('POST', '', { ...MAILS, name: 'a' })
  const { body } = await ask('GET')
  expect(body.items.map((item) => (item as { name: string }).name)).toEqual(['z', 'a'])
  expect(applied.get(test.gridId)?.hashSecret).toBe(secret)
  expect(JSON.stringify(body)).not.toContain(secret)
})

it.each([
  ['a rule that finds nothing', {}, 'A rule needs a key, a pattern or a preset.'],
  ['two things to find', { pattern: 'a', preset: 'cards' }, 'A rule has either a pattern or a preset'],
  ['every key', { key: '*' }, 'key must name more than every attribute.'],
  ['a pattern that is none', { pattern: '(a' }, 'pattern is no pattern in the syntax of RE2'],
  ['a back reference', { pattern: '(a)\\1' }, 'pattern is no pattern in the syntax of RE2'],
  ['a pattern that matches nothing', { pattern: 'a*' }, 'pattern must not match an empty text.'],
  ['a pattern that is too long', { pattern: 'a'.repeat(501) }, 'pattern must'],
  ['an unknown place', { key: 'a', places: ['nowhere'] }, 'places'],
  ['no place', { key: 'a', places: [] }, 'places'],
])('refuses %s', async (_, settings, detail) => {
  const answer = await ask('POST', '', { name: 'x', action: 'redact', ...settings })
  expect(answer).toMatchObject(problem('invalid-body'))
  expect(answer.detail).toContain(detail)
})

it('refuses a name that is taken, and a rule too many', async () => {
  await ask('POST', '', MAILS)
  expect(await ask('POST', '', MAILS)).toMatchObject(problem('already-exists'))
  for (let i = 1; i < 50; i++) await test.control.privacy.create(test.gridId, ruleOf(`rule ${i}`))
  expect((await ask('POST', '', { ...MAILS, name: 'one more' })).detail).toBe(
    'A Grid may have at most 50 privacy rules.',
  )
})

function ruleOf(name: string) {
  return { name, key: 'a', pattern: null, preset: null, places: [], action: 'redact' as const, enabled: true }
}
