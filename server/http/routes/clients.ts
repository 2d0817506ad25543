import type { ControlStore } from '../../control/control-store.ts'
import { ADMINISTERS } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { clientAnswer, listAnswer } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/management.ts'

const ALL = '/apm/clients'
const ADMINISTERING = { tag: 'Clients', access: ADMINISTERS } as const

export function registerClients({ onPlatform }: Routes, { clients }: ControlStore): void {
  onPlatform(
    {
      ...ADMINISTERING,
      method: 'GET',
      path: ALL,
      summary: 'List clients',
      description: 'Machines that sign in by client credentials.',
      response: schemas.listOf(schemas.client),
    },
    async () => listAnswer((await clients.list()).map(clientAnswer)),
  )

  onPlatform(
    {
      ...ADMINISTERING,
      method: 'POST',
      path: ALL,
      summary: 'Create a client',
      description: 'The answer is the only place where its secret is ever shown.',
      body: schemas.newClient,
      response: schemas.clientWithSecret,
      created: true,
    },
    async ({ body: { name, admin = false } }) => {
      const { client, secret } = await clients.create({ name, admin })
      return { ...clientAnswer(client), secret }
    },
  )

  onPlatform(
    {
      ...ADMINISTERING,
      method: 'DELETE',
      path: `${ALL}/{clientId}`,
      params: { clientId: schemas.clientId },
      summary: 'Remove a client',
      response: null,
      problems: ['unknown-client', 'own-account'],
    },
    async ({ caller, params: { clientId } }) => {
      if (caller.id === clientId) throw new Problem('own-account', 'You cannot remove the client that you are using.')
      if (!(await clients.remove(clientId))) throw new Problem('unknown-client', 'There is no such client.')
    },
  )
}
