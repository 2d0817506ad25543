import type { ServerOptions as HttpsOptions } from 'node:https'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { ControlStore } from '../control/control-store.ts'
import type { Authenticator } from '../identity/caller.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import { registerApi } from './api.ts'
import type { RateLimitDefaults } from './caller-limits.ts'
import { answerExpectations } from './connection-faults.ts'
import { describeRoutes, serveDocs } from './docs.ts'
import { createMethodGuards } from './method-guards.ts'
import { mountOAuth, type OAuthMount } from './oauth-mount.ts'
import { Problem } from './problem.ts'
import { registerSystem, type SystemOptions } from './routes/system.ts'
import { sendProblem } from './send-problem.ts'
import { createServer } from './server.ts'

export interface AppDependencies extends SystemOptions {
  telemetry: Pick<TelemetryStore, 'reader'>
  control: ControlStore
  authenticator: Authenticator
  clock: () => number
  logger: FastifyBaseLogger
  limits: RateLimitDefaults & {
    /** How many questions of one caller run at once, and how long more of them wait. 4, and 5 seconds. */
    questionsPerCaller?: number
    questionWaitMs?: number
  }
  corsOrigins: string[]
  /** Addresses or networks whose `X-Forwarded-For` is believed. */
  trustedProxies: string[]
  publicUrl: string
  https?: HttpsOptions
  oauth?: OAuthMount
  /** Routes with rules of their own: neither version nor authentication nor limits of the API hold for them. */
  plugins?: FastifyPluginAsync[]
}

/** The whole HTTP interface, without a port: the caller listens, and closes. */
export function createApp(dependencies: AppDependencies): FastifyInstance {
  const { publicUrl, oauth, plugins = [] } = dependencies
  const app = createServer(dependencies)
  const methodGuards = createMethodGuards(app)

  answerExpectations(app.server)
  app.setErrorHandler(sendProblem)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  addHeaders(app, dependencies)
  refuseUnknownPaths(app)

  app.register(async (scope) => describeAll(scope, dependencies))
  if (oauth) app.register((scope) => mountOAuth(scope, oauth))
  for (const plugin of plugins) app.register(plugin)
  app.register(async (scope) => methodGuards.register(scope))
  return app

  async function describeAll(scope: FastifyInstance, options: AppDependencies): Promise<void> {
    await describeRoutes(scope, publicUrl)
    scope.register((inner) => registerApi(inner, options))
    scope.register((inner) => registerSystem(inner, options))
    await serveDocs(scope)
  }
}

function addHeaders(app: FastifyInstance, { corsOrigins, publicUrl }: AppDependencies): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Says nothing about neighbours of this host, and nothing at all where people come without TLS.
    strictTransportSecurity: publicUrl.startsWith('https:') && { includeSubDomains: false },
  })
  if (corsOrigins.length > 0) app.register(cors, corsOptions(corsOrigins))
  // Requests are left as they are: whoever takes compressed ones limits what they unpack to.
  app.register(compress, { globalDecompression: false, threshold: 1024 })
}

function corsOptions(origin: string[]) {
  return {
    origin,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['API-Key', 'Authorization', 'Content-Type', 'X-Api-Version', 'X-Request-Id'],
    exposedHeaders: [
      'api-supported-versions',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
      'X-Total-Count',
    ],
    strictPreflight: false,
    maxAge: 600,
  }
}

/** Before a body is read, of which nothing will be made. */
function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ is404, raw }) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
      throw new Problem('malformed-request', 'The header Host is missing.')
    }
    if (is404) throw new Problem('unknown-path', 'There is no such path. The interface is described at /docs.')
  })
}
