import { randomUUID } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { CONNECTION_CHECK_MS, type ConnectionLimits, guardConnections } from './connection-guard.ts'
import { answerError, OTLP_PATHS, otlpHttp, wrongMethod } from './http.ts'
import type { Receiver } from './receiver.ts'
import { Refusal } from './refusal.ts'
import type { Tls } from './tls.ts'

interface OtlpHttpServerOptions {
  receiver: Receiver
  tls?: Tls | undefined
  connections?: Partial<ConnectionLimits>
  trustProxy?: FastifyServerOptions['trustProxy']
}

const SERVER_OPTIONS = { connectionsCheckingInterval: CONNECTION_CHECK_MS }
const HANDSHAKE_TIMEOUT_MS = 10_000
const CLOSE_GRACE_MS = 5_000
const SAFE_REQUEST_ID = /^[\w.:-]{1,64}$/

/**
 * A server with nothing but OTLP on it, for the port that exporters try first. It closes within seconds, whatever its
 * clients do.
 */
export function createOtlpHttpServer(options: OtlpHttpServerOptions): FastifyInstance {
  const { receiver } = options
  const app: FastifyInstance = fastify({
    loggerInstance: receiver.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // While it closes, the receiver itself refuses, with a Status that exporters understand.
    return503OnClosing: false,
    trustProxy: options.trustProxy ?? false,
    genReqId: requestId,
    serverFactory: (handler) =>
      options.tls === undefined
        ? http.createServer(SERVER_OPTIONS, handler)
        : https.createServer({ ...options.tls, ...SERVER_OPTIONS, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }, handler),
  })
  const slots = guardConnections(app.server, options.connections)
  app.addHook('preClose', async () => slots.closeWithin(CLOSE_GRACE_MS))
  app.setErrorHandler((error, request, reply) => answerError(receiver, error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const refusal = OTLP_PATHS.has(path) ? wrongMethod() : new Refusal('unknown_path', 'There is nothing at this path.')
    return answerError(receiver, refusal, request, reply)
  })
  app.register(otlpHttp, { receiver })
  return app
}

function requestId(request: http.IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE_REQUEST_ID.test(given) ? given : randomUUID()
}
