import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { createAuthenticator } from './authenticator.ts'
import { AuthenticationFailed, type Authenticator, type Caller } from './caller.ts'

const PERSON: Caller = { kind: 'user', id: 'u-1', subjects: ['u-1'], admin: false }

let control: ControlStore
let authenticator: Authenticator
let gridId: string
let tokens: string[]

beforeEach(async () => {
  tokens = []
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
  const bearer = async (token: string) => {
    tokens.push(token)
    return PERSON
  }
  authenticator = createAuthenticator({ control, bearer })
})
afterEach(() => control.close())

function createKey(expiresAtMs: number | null = null) {
  return control.keys.create({ gridId, name: 'ci', role: 'Member', scopes: ['read'], expiresAtMs })
}

it('knows a key by its secret, with its Grid, role and scopes', async () => {
  const { key, secret } = await createKey()
  const caller = await authenticator.authenticate({ apiKey: secret, authorization: undefined })
  expect(caller).toEqual({ kind: 'key', id: key.id, gridId, role: 'Member', scopes: ['read'] })
})

it('lets an API key win over a bearer token, also where it is wrong', async () => {
  const { secret } = await createKey()
  const authorization = 'Bearer abc'
  expect(await authenticator.authenticate({ apiKey: secret, authorization })).toMatchObject({ kind: 'key' })
  await expect(authenticator.authenticate({ apiKey: 'wrong', authorization })).rejects.toThrow(AuthenticationFailed)
  expect(tokens).toEqual([])
})

it('refuses a key that is unknown, empty, endless, expired, revoked or rotated', async () => {
  const expired = await createKey(Date.now() - 1)
  const revoked = await createKey()
  const rotated = await createKey()
  await authenticator.authenticate({ apiKey: revoked.secret, authorization: undefined })
  await authenticator.authenticate({ apiKey: rotated.secret, authorization: undefined })
  await control.keys.revoke(gridId, revoked.key.id, Date.now())
  await control.keys.rotate(gridId, rotated.key.id)
  const wrong = ['flk_unknown', '', 'x'.repeat(100_000), expired.secret, revoked.secret, rotated.secret]
  for (const apiKey of wrong) {
    const trying = authenticator.authenticate({ apiKey, authorization: undefined })
    await expect(trying).rejects.toThrow(new AuthenticationFailed('The API key is not valid.'))
  }
})

it('hands over a bearer token, in whatever letter case the scheme is written', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect(await authenticator.authenticate({ apiKey: undefined, authorization: `${scheme} a.b-c_d.e` })).toEqual(
      PERSON,
    )
  }
  expect(tokens).toEqual(['a.b-c_d.e', 'a.b-c_d.e', 'a.b-c_d.e'])
})

it.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'Bearer a,b', 'Bearer é', 'abc', 'Bearer\ta'])(
  'refuses the header "%s"',
  async (authorization) => {
    await expect(authenticator.authenticate({ apiKey: undefined, authorization })).rejects.toThrow(AuthenticationFailed)
    expect(tokens).toEqual([])
  },
)

it('refuses a caller without credentials and says what to send', async () => {
  const trying = authenticator.authenticate({ apiKey: undefined, authorization: undefined })
  await expect(trying).rejects.toThrow(AuthenticationFailed)
  await expect(trying).rejects.toThrow('API-Key')
})
