import compress from '@fastify/compress'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { registerApi } from './api.ts'
import type { AppDependencies } from './app-dependencies.ts'
import { answerExpectations } from './connection-faults.ts'
import { describeRoutes, serveDocs } from './docs.ts'
import { createMethodGuards } from './method-guards.ts'
import { mountOAuth } from './oauth-mount.ts'
import { Problem } from './problem.ts'
import { registerSystem } from './routes/system.ts'
import { sendProblem } from './send-problem.ts'
import { createServer } from './server.ts'

/** The whole HTTP interface, without a port: the caller listens, and closes. */
export function createApp(dependencies: AppDependencies): FastifyInstance {
  const { oauth, plugins = [] } = dependencies
  const app = createServer(dependencies)
  const methodGuards = createMethodGuards(app)

  answerExpectations(app.server)
  app.setErrorHandler(sendProblem)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  addHeaders(app, dependencies)
  refuseUnknownPaths(app)

  app.register((scope) => registerDocumented(scope, dependencies))
  if (oauth) app.register((scope) => mountOAuth(scope, oauth))
  for (const plugin of plugins) app.register(plugin)
  app.register(async (scope) => methodGuards.register(scope))
  return app
}

/** What `/docs` describes, and `/docs` itself. */
async function registerDocumented(app: FastifyInstance, dependencies: AppDependencies): Promise<void> {
  await describeRoutes(app, dependencies.publicUrl)
  app.register((scope) => registerApi(scope, dependencies))
  app.register((scope) => registerSystem(scope, dependencies))
  await serveDocs(app)
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
