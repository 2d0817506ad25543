import { join } from 'node:path'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createBackups } from './backup/backups.ts'
import { createRenderThread } from './charts/render/render-thread.ts'
import { type Config, publicUrlOf } from './config/config.ts'
import { openSqliteControlStore } from './control/sqlite/open-control-store.ts'
import { createApp } from './http/app.ts'
import { createAuthenticator } from './identity/authenticator.ts'
import { openAuthority } from './identity/authority/open-authority.ts'
import { createAuthorityBearer } from './identity/authority-bearer.ts'
import { createExternalBearer } from './identity/external-bearer.ts'
import { createIssuerBearer } from './identity/issuer-bearer.ts'
import { createNotificationMeasures } from './notify/notification-measures.ts'
import { createNotifier } from './notify/notifier.ts'
import { guardConnections } from './receive/connection-guard.ts'
import { openGrpcReceiver } from './receive/grpc.ts'
import { otlpHttp } from './receive/http.ts'
import { createIntake } from './receive/intake.ts'
import { createIntakeMeasures } from './receive/intake-measures.ts'
import { createOtlpHttpServer } from './receive/otlp-http-server.ts'
import { createReceiver } from './receive/receiver.ts'
import { createDiagnose } from './start/create-diagnose.ts'
import { type FirstGrid, makeFirstGrid } from './start/first-start.ts'
import { writeLocalAdmin } from './start/local-admin.ts'
import type { OpenedTelemetry } from './start/open-telemetry.ts'
import { createStoreGauges } from './start/store-gauges.ts'
import { diskBudgetBytes, minFreeBytes } from './start/store-options.ts'
import { watchAlerts } from './watch/alerting.ts'
import { watchDeletions } from './watch/deletions.ts'
import { watchEvents } from './watch/events.ts'
import { watchRemovals } from './watch/removals.ts'
import { watchRetention } from './watch/retention.ts'

export interface RunningServer {
  url: string
  otlpHttpUrl: string
  otlpGrpcUrl: string
  /** What the very first start on this data folder has made. */
  firstGrid: FirstGrid | undefined
  /** Takes no more requests, commits what was taken, and closes. */
  close(): Promise<void>
}

const CLOSE_GRACE_MS = 5_000

/** The composition root: wires every part to what it needs, and listens. Closes the store of telemetry too, also where it fails. */
export async function startServer(config: Config, telemetry: OpenedTelemetry, logger: Logger): Promise<RunningServer> {
  const closers: (() => unknown)[] = []
  const onClose = (closer: () => unknown) => closers.unshift(closer)
  const close = async () => {
    for (const closer of closers.splice(0)) await closer()
  }
  try {
    return { ...(await compose(config, telemetry, logger, onClose)), close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

type OnClose = (closer: () => unknown) => void

async function compose(
  config: Config,
  { store, ports }: OpenedTelemetry,
  logger: Logger,
  onClose: OnClose,
): Promise<Omit<RunningServer, 'close'>> {
  const { host, tls } = config
  const clock = Date.now
  const registry = new Registry()
  let stopping = false
  const report = (error: unknown) => logger.error({ err: error }, 'background work failed')
  const { api: port, otlpHttp: otlpHttpPort, otlpGrpc: otlpGrpcPort } = ports
  onClose(() => store.close())
  const control = await openSqliteControlStore(join(config.dataDir, 'control.sqlite'))
  onClose(() => control.close())
  const firstGrid = await makeFirstGrid(control, config)
  for (const { id, apdex } of await control.grids.list()) {
    await store.setApdex(id, apdex)
    await store.setPrivacy(id, await control.privacy.policy(id))
  }
  const budgetBytes = await diskBudgetBytes(config)
  const updateStoreGauges = createStoreGauges(registry, store, budgetBytes)

  const publicUrl = publicUrlOf(config, port)
  const authority = await openAuthority({ control, publicUrl, reportError: report })
  onClose(() => authority.close())
  const authenticator = createAuthenticator({ control, bearer: createBearer() })
  await writeLocalAdmin(control, config.dataDir, publicUrlOf({ ...config, publicUrl: undefined }, port))

  const pictures = createRenderThread()
  onClose(() => pictures.close())
  const intake = createIntake({ measures: createIntakeMeasures(registry), clock })
  const receiver = createReceiver({ ingest: store, authenticator, control, intake, clock, logger })
  const notifier = createNotifier({
    control,
    diagnose: createDiagnose(store, control),
    publicUrl,
    networks: config.notifyNetworks,
    measures: createNotificationMeasures(registry, () => control.outbox.waiting()),
    clock,
    log: (fields, message) => logger.warn(fields, message),
    report,
  })
  const backups = createBackups({
    telemetry: store,
    control,
    dataDir: config.dataDir,
    keptFreeBytes: (folder) => minFreeBytes(config, folder),
    clock,
    report,
  })
  onClose(() => backups.stop())
  const removals = watchRemovals({ store, control, report })
  onClose(() => removals.stop())
  const app = createApp({
    telemetry: store,
    control,
    privacy: store,
    backups,
    pictures,
    authenticator,
    notifications: notifier,
    removals,
    diskBudgetBytes: budgetBytes,
    clock,
    logger,
    limits: { callerPerMinute: config.rateLimitCaller, gridPerMinute: config.rateLimitGrid },
    corsOrigins: [...config.corsOrigins],
    trustedProxies: [...config.trustedProxies],
    publicUrl,
    ...(tls ? { https: tls } : {}),
    oauth: authority,
    plugins: [(scope) => otlpHttp(scope, { receiver })],
    ready: async () => (stopping ? 'the server is stopping' : undefined),
    renderMetrics: async () => {
      await updateStoreGauges()
      return await registry.metrics()
    },
  })
  const guard = guardConnections(app.server)
  app.addHook('preClose', async () => guard.closeWithin(CLOSE_GRACE_MS))
  const otlp = createOtlpHttpServer({ receiver, tls, trustProxy: trusted(config.trustedProxies) })

  const grpc = await openGrpcReceiver({ receiver, host, port: otlpGrpcPort, tls })
  onClose(() => Promise.all([app.close(), otlp.close(), grpc.close(CLOSE_GRACE_MS)]))
  onClose(() => {
    stopping = true
    receiver.stop()
  })
  await otlp.listen({ host, port: otlpHttpPort })
  await app.listen({ host, port })
  onClose(
    watchRetention({
      store,
      control,
      budgetBytes,
      clock,
      report,
      log: (fields, message) => logger.warn(fields, message),
    }),
  )
  onClose(watchDeletions({ telemetry: store, control, clock, report }))
  onClose(watchEvents({ telemetry: store, control, clock, report }))
  onClose(notifier.start())
  onClose(watchAlerts({ telemetry: store, control, clock, report }))

  const scheme = tls ? 'https' : 'http'
  const named = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host
  return {
    url: publicUrl,
    otlpHttpUrl: `${scheme}://${named}:${otlpHttpPort}`,
    otlpGrpcUrl: `${scheme}://${named}:${grpc.port}`,
    firstGrid,
  }

  function createBearer() {
    const own = createAuthorityBearer({ authority, control })
    if (config.oidcIssuer === undefined || config.oidcAudience === undefined) return own
    const external = createExternalBearer({ issuer: config.oidcIssuer, audience: config.oidcAudience })
    return createIssuerBearer(authority.issuer, own, external)
  }
}

function trusted(proxies: readonly string[]): string[] | false {
  return proxies.length > 0 ? [...proxies] : false
}
