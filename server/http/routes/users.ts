import type { ControlStore } from '../../control/control-store.ts'
import { ADMINISTERS } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { listAnswer, userAnswer } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/management.ts'

const ALL = '/apm/users'
const ADMINISTERING = { tag: 'Users', access: ADMINISTERS } as const

export function registerUsers({ onPlatform }: Routes, { users }: ControlStore): void {
  onPlatform(
    { ...ADMINISTERING, method: 'GET', path: ALL, summary: 'List users', response: schemas.listOf(schemas.user) },
    async () => listAnswer((await users.list()).map(userAnswer)),
  )

  onPlatform(
    {
      ...ADMINISTERING,
      method: 'POST',
      path: ALL,
      summary: 'Create a user',
      body: schemas.newUser,
      response: schemas.user,
      created: true,
      problems: ['already-exists'],
    },
    async ({ body: { email, name, password, admin = false } }) =>
      userAnswer(await users.create({ email, name, password, admin })),
  )

  onPlatform(
    {
      ...ADMINISTERING,
      method: 'DELETE',
      path: `${ALL}/{userId}`,
      params: { userId: schemas.userId },
      summary: 'Remove a user',
      response: null,
      problems: ['unknown-user', 'own-account'],
    },
    async ({ caller, params: { userId } }) => {
      if (caller.id === userId) throw new Problem('own-account', 'You cannot remove the account that you are using.')
      if (!(await users.remove(userId))) throw new Problem('unknown-user', 'There is no such user.')
    },
  )
}
