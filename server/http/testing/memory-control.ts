import { randomBytes, randomUUID } from 'node:crypto'
import {
  AlreadyExists,
  type ApiKey,
  type Client,
  type ControlStore,
  type Grid,
  type Member,
  ROLES,
  type User,
} from '../../control/control-store.ts'

/** Control data in plain maps: what the interface promises, and nothing of security. */
export function createMemoryControl(nowMs: () => number): ControlStore {
  const grids = new Map<string, Grid>()
  const keys = new Map<string, { key: ApiKey; secret: string }>()
  const users = new Map<string, User & { password: string }>()
  const clients = new Map<string, Client>()
  const members: Member[] = []
  const keyOf = (gridId: string, id: string) => {
    const found = keys.get(id)
    return found?.key.gridId === gridId ? found : undefined
  }
  return {
    grids: {
      async create({ id = randomUUID(), name }) {
        if (grids.has(id)) throw new AlreadyExists(`There is a Grid ${id} already.`)
        const grid: Grid = {
          id,
          name,
          createdAtMs: nowMs(),
          plan: 'standard',
          subscriptionState: 'active',
          rawRetentionDays: 7,
          aggregateRetentionDays: 90,
          rateLimitCaller: null,
          rateLimitGrid: null,
          ingestQuota: null,
          apdex: { defaultMs: 500, byService: {} },
        }
        grids.set(id, grid)
        return grid
      },
      find: async (id) => grids.get(id),
      list: async () => [...grids.values()],
      async update(id, settings) {
        const grid = grids.get(id)
        if (grid) grids.set(id, { ...grid, ...settings })
        return grids.get(id)
      },
    },
    keys: {
      async create({ secret = randomBytes(16).toString('hex'), ...key }) {
        const made = {
          key: { ...key, id: randomUUID(), prefix: secret.slice(0, 6), createdAtMs: nowMs(), revokedAtMs: null },
          secret,
        }
        keys.set(made.key.id, made)
        return made
      },
      async findBySecret(secret, atMs) {
        const found = [...keys.values()].find((each) => each.secret === secret)?.key
        const usable = found && found.revokedAtMs === null && (found.expiresAtMs ?? Number.POSITIVE_INFINITY) > atMs
        return usable ? found : undefined
      },
      list: async (gridId) => [...keys.values()].map(({ key }) => key).filter((key) => key.gridId === gridId),
      async rotate(gridId, id) {
        const found = keyOf(gridId, id)
        if (found) found.secret = randomBytes(16).toString('hex')
        return found && { ...found }
      },
      async revoke(gridId, id, atMs) {
        const found = keyOf(gridId, id)
        if (found) found.key.revokedAtMs = atMs
        return found !== undefined
      },
    },
    users: {
      async create(user) {
        if ([...users.values()].some(({ email }) => email === user.email)) throw new AlreadyExists('Taken.')
        const made = { ...user, id: randomUUID(), createdAtMs: nowMs() }
        users.set(made.id, made)
        return made
      },
      find: async (id) => users.get(id),
      list: async () => [...users.values()],
      verifyPassword: async (email, password) =>
        [...users.values()].find((user) => user.email === email && user.password === password),
      async setPassword(id, password) {
        const user = users.get(id)
        if (user) user.password = password
        return user !== undefined
      },
      remove: async (id) => users.delete(id),
    },
    clients: {
      async create({ id = randomUUID(), name, admin, secret = randomUUID() }) {
        const client = { id, name, admin, createdAtMs: nowMs() }
        clients.set(id, client)
        return { client, secret }
      },
      find: async (id) => clients.get(id),
      list: async () => [...clients.values()],
      remove: async (id) => clients.delete(id),
    },
    members: {
      async put({ gridId, subject, role }) {
        const known = members.find((member) => member.gridId === gridId && member.subject === subject)
        if (known) return Object.assign(known, { role })
        const member = { gridId, subject, role, createdAtMs: nowMs() }
        members.push(member)
        return member
      },
      async roleOf(gridId, subjects) {
        const roles = members.filter((each) => each.gridId === gridId && subjects.includes(each.subject))
        return ROLES.find((role) => roles.some((each) => each.role === role))
      },
      list: async (gridId) => members.filter((member) => member.gridId === gridId),
      listGridsOf: async (subjects) => members.filter(({ subject }) => subjects.includes(subject)),
      async remove(gridId, subject) {
        const index = members.findIndex((member) => member.gridId === gridId && member.subject === subject)
        if (index >= 0) members.splice(index, 1)
        return index >= 0
      },
    },
    close: async () => {},
  }
}
