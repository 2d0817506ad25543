import type { ControlStore } from '../../control/control-store.ts'
import { NS_PER_MS } from '../../domain/time-window.ts'
import { MANAGES_GRID } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { keyAnswer, listAnswer } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/management.ts'
import { datetimeOf } from '../time-range.ts'

const ALL = '/apm/grids/{gridSecondaryId}/keys'
const MANAGING = { tag: 'Keys', access: MANAGES_GRID } as const
const OF_KEY = { ...MANAGING, params: { keyId: schemas.keyId }, problems: ['unknown-key' as const] }

export function registerKeys({ onGrid }: Routes, { keys }: ControlStore): void {
  onGrid(
    { ...MANAGING, method: 'GET', path: ALL, summary: 'List API keys', response: schemas.listOf(schemas.key) },
    async ({ grid }) => listAnswer((await keys.list(grid.id)).map(keyAnswer)),
  )

  onGrid(
    {
      ...MANAGING,
      method: 'POST',
      path: ALL,
      summary: 'Create an API key',
      description: 'The answer is the only place where its secret is ever shown.',
      body: schemas.newKey,
      response: schemas.keyWithSecret,
      created: true,
    },
    async ({ grid, nowMs, body: { name, role, scopes, expiresAt = null } }) => {
      const expiresAtMs = expiresAt === null ? null : expiryOf(expiresAt, nowMs)
      const { key, secret } = await keys.create({ gridId: grid.id, name, role, scopes, expiresAtMs })
      return { ...keyAnswer(key), secret }
    },
  )

  onGrid(
    {
      ...OF_KEY,
      method: 'POST',
      path: `${ALL}/{keyId}/rotate`,
      summary: 'Rotate an API key',
      description: 'Gives it a new secret. The old one stops working at once.',
      response: schemas.keyWithSecret,
    },
    async ({ grid, params }) => {
      const rotated = await keys.rotate(grid.id, params.keyId)
      if (!rotated) throw unknownKey()
      return { ...keyAnswer(rotated.key), secret: rotated.secret }
    },
  )

  onGrid(
    {
      ...OF_KEY,
      method: 'DELETE',
      path: `${ALL}/{keyId}`,
      summary: 'Revoke an API key',
      description: 'Takes effect at once.',
      response: null,
    },
    async ({ grid, params, nowMs }) => {
      if (!(await keys.revoke(grid.id, params.keyId, nowMs))) throw unknownKey()
    },
  )
}

function unknownKey(): Problem {
  return new Problem('unknown-key', 'This Grid has no such API key.')
}

function expiryOf(expiresAt: string, nowMs: number): number {
  const expiresAtMs = Number(datetimeOf(['expiresAt', expiresAt], 'invalid-body') / NS_PER_MS)
  if (expiresAtMs <= nowMs) throw new Problem('invalid-body', 'expiresAt must be in the future.')
  return expiresAtMs
}
