import { expect } from 'vitest'
import { type Asking, ask } from './api.ts'
import { administratorToken, bearer, clientToken, type Person, type SignedIn, signIn } from './oauth.ts'
import { GRID_ID, type ServerProcess } from './server-process.ts'

const GRID = `/apm/grids/${GRID_ID}`
const PERSON: Person = { email: 'ann@example.com', password: 'correct horse battery' }

/** Something of everything that is kept beside telemetry. */
export interface ControlData {
  otherGrid: string
  key: string
  revokedKey: string
  client: { id: string; secret: string }
  session: SignedIn
  refreshToken: string
}

export async function makeControlData(server: ServerProcess, dataDir: string): Promise<ControlData> {
  const admin = bearer(await administratorToken(server, dataDir))
  const make = async <T>(path: string, body: object, asking: Asking = {}) => {
    const answer = await ask<T>(server, path, { method: path.includes('/members/') ? 'PUT' : 'POST', body, ...asking })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  const grid = await make<{ gridSecondaryId: string }>('/apm/grids', { name: 'Other' }, admin)
  const newKey = { name: 'reader', role: 'Guest', scopes: ['read'] }
  const key = await make<{ secret: string }>(`${GRID}/keys`, newKey)
  const revoked = await make<{ id: string; secret: string }>(`${GRID}/keys`, newKey)
  expect((await ask(server, `${GRID}/keys/${revoked.id}`, { method: 'DELETE' })).status).toBe(204)
  await make('/apm/users', { ...PERSON, name: 'Ann' }, admin)
  await make(`${GRID}/members/${PERSON.email}`, { role: 'Guest' })
  const client = await make<{ id: string; secret: string }>('/apm/clients', { name: 'machine' }, admin)
  await make(`${GRID}/members/${client.id}`, { role: 'User' })
  await make(`${GRID}/retention`, { rawDays: 3, aggregateDays: 30 }, { method: 'PUT' })
  const session = await signIn(server, PERSON)
  return {
    otherGrid: grid.gridSecondaryId,
    key: key.secret,
    revokedKey: revoked.secret,
    client,
    session,
    refreshToken: session.refreshToken,
  }
}

export async function expectControlData(server: ServerProcess, dataDir: string, data: ControlData): Promise<void> {
  const statusWith = async (asking: Asking) => (await ask(server, GRID, asking)).status
  expect(await statusWith({ headers: { 'api-key': data.key } })).toBe(200)
  expect(await statusWith({ headers: { 'api-key': data.revokedKey } })).toBe(401)
  expect(await statusWith(bearer(data.session.accessToken))).toBe(200)
  const refreshed = await data.session.refresh(data.refreshToken)
  data.refreshToken = refreshed.refreshToken
  expect(await statusWith(bearer(refreshed.accessToken))).toBe(200)
  expect(await statusWith(bearer((await signIn(server, PERSON)).accessToken))).toBe(200)
  expect(await statusWith(bearer(await clientToken(server, data.client.id, data.client.secret)))).toBe(200)
  expect((await ask(server, GRID)).body).toMatchObject({ retention: { rawDays: 3, aggregateDays: 30 } })
  const admin = bearer(await administratorToken(server, dataDir))
  expect((await ask(server, `/apm/grids/${data.otherGrid}`, admin)).body).toMatchObject({ name: 'Other' })
}
