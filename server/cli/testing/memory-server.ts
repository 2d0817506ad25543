import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createBackups } from '../../backup/backups.ts'
import type { ControlStore, Role, Scope } from '../../control/control-store.ts'
import { openSqliteControlStore } from '../../control/sqlite/open-control-store.ts'
import { createApp } from '../../http/app.ts'
import { createAuthenticator } from '../../identity/authenticator.ts'
import { AuthenticationFailed } from '../../identity/caller.ts'
import type { ExportRequest } from '../../ingest/ingest.ts'
import { createStoreIngest } from '../../ingest/store-ingest.ts'
import { createTestNotifier } from '../../notify/testing/test-notifier.ts'
import { otlpHttp } from '../../receive/http.ts'
import { createIntake } from '../../receive/intake.ts'
import { createIntakeMeasures } from '../../receive/intake-measures.ts'
import { createReceiver } from '../../receive/receiver.ts'
import { createMemoryStore } from '../../storage/memory/memory-store.ts'
import type { TelemetryStore } from '../../storage/telemetry-store.ts'

/** What an administrator signs in with. */
export const ADMIN_TOKEN = 'token-of-an-administrator'

/** The whole server but for its threads and its files. */
export interface MemoryServer {
  url: string
  control: ControlStore
  store: TelemetryStore
  gridId: string
  /** Every export that reached the store's door, oldest first. */
  exports: ExportRequest[]
  /** Method and path of every request, oldest first. */
  calls: string[]
  /** May fail, to make an export fail. */
  beforeExport: (request: ExportRequest) => Promise<void>
  /** A new key of the Grid. */
  key(scopes?: Scope[], role?: Role): Promise<string>
  close(): Promise<void>
}

export async function openMemoryServer(): Promise<MemoryServer> {
  const control = await openSqliteControlStore(':memory:')
  const store = createMemoryStore()
  const grid = await control.grids.create({ name: 'shop' })
  const server: MemoryServer = {
    url: '',
    control,
    store,
    gridId: grid.id,
    exports: [],
    calls: [],
    beforeExport: async () => undefined,
    async key(scopes = ['read', 'ingest'], role = 'Guest') {
      const key = { gridId: grid.id, name: 'test', role, scopes, expiresAtMs: null }
      return (await control.keys.create(key)).secret
    },
    async close() {
      await app.close()
      await store.close()
      await control.close()
    },
  }
  const app = appOf(server)
  app.server.on('request', ({ method, url = '' }) => server.calls.push(`${method} ${url.split('?')[0]}`))
  await app.listen({ host: '127.0.0.1', port: 0 })
  server.url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return server
}

function appOf(server: MemoryServer): FastifyInstance {
  const { control, store } = server
  const clock = Date.now
  const logger = pino({ level: 'silent' })
  const authenticator = createAuthenticator({
    control,
    bearer: async (token) => {
      if (token !== ADMIN_TOKEN) throw new AuthenticationFailed('There is one token here.')
      return { kind: 'user', id: 'root', subjects: ['root'], admin: true }
    },
  })
  const ingest = createStoreIngest(store, clock)
  const receiver = createReceiver({
    authenticator,
    control,
    clock,
    logger,
    intake: createIntake({ measures: createIntakeMeasures(new Registry()), clock }),
    ingest: {
      async export(request) {
        server.exports.push(request)
        await server.beforeExport(request)
        return ingest.export(request)
      },
    },
  })
  return createApp({
    telemetry: store,
    control,
    privacy: ingest,
    backups: createBackups({
      control,
      telemetry: store,
      clock,
      dataDir: '/nowhere/data',
      keptFreeBytes: async () => 0,
      report: () => undefined,
    }),
    authenticator,
    pictures: { draw: async (picture) => Buffer.from(JSON.stringify(picture)) },
    clock,
    logger,
    limits: { callerPerMinute: 60_000, gridPerMinute: 60_000 },
    corsOrigins: [],
    trustedProxies: [],
    notifications: createTestNotifier(control),
    removals: { finish: async () => undefined },
    diskBudgetBytes: 1_000_000_000,
    publicUrl: 'http://localhost',
    ready: async () => undefined,
    renderMetrics: async () => '',
    plugins: [(scope) => otlpHttp(scope, { receiver })],
  })
}
