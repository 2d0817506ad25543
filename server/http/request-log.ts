import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { pathOf } from './send-problem.ts'

/** One line per request, when it is over. Headers and queries hold secrets and are never written. */
export class RequestLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'requestId' })
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const line = {
      method: request.method,
      path: pathOf(request.originalUrl),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    }
    if (error) request.log.warn({ ...line, err: error }, 'request broken off')
    else request.log.info(line, 'request')
  }
}

/** The same logger, which also where the framework writes whole requests and replies leaves the secrets out. */
export function withoutSecrets(logger: FastifyBaseLogger): FastifyBaseLogger {
  return logger.child(
    {},
    {
      serializers: {
        req: (request: FastifyRequest) => ({ method: request.method, path: pathOf(request.url) }),
        res: (reply: FastifyReply) => ({ status: reply.statusCode }),
      },
    },
  )
}
