import type { ServerOptions as HttpsOptions } from 'node:https'
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify'
import { answerClientError } from './connection-faults.ts'
import { requestIdOf } from './request-id.ts'
import { RequestLog, withoutSecrets } from './request-log.ts'
import { sendProblem } from './send-problem.ts'

const BODY_BYTES_MAX = 1024 * 1024
const PARAMETER_LENGTH_MAX = 4096
const HEADER_BYTES_MAX = 16 * 1024
const REQUEST_TIMEOUT_MS = 120_000

export interface ServerSettings {
  logger: FastifyBaseLogger
  trustedProxies: string[]
  https?: HttpsOptions
}

export function createServer({ logger, trustedProxies, https }: ServerSettings): FastifyInstance {
  // Node would answer a request without a Host by itself, and without a body.
  const wire = { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false }
  return fastify({
    ...(https ? { https: { ...https, ...wire } } : { http: wire }),
    loggerInstance: withoutSecrets(logger),
    logController: new RequestLog(),
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    // What arrives while the server closes is refused in the interface's own words.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    clientErrorHandler: answerClientError,
  }) as FastifyInstance
}
