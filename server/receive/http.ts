import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Grid } from '../control/control-store.ts'
import type { Encoding, Signal } from '../ingest/ingest.ts'
import { encodeExportResponse, encodeStatus } from '../ingest/otlp/responses.ts'
import { readBody } from './body.ts'
import { ACCEPTED_ENCODINGS, createContentDecoder } from './content-decoder.ts'
import { drain } from './drain.ts'
import { encodingOf, mediaTypeOf } from './otlp-media.ts'
import type { Receiver } from './receiver.ts'
import { Refusal } from './refusal.ts'
import { statusOf } from './refusal-status.ts'

export const OTLP_PATHS: ReadonlyMap<string, Signal> = new Map([
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
  ['/v1/metrics', 'metrics'],
])

interface OtlpHttpOptions {
  receiver: Receiver
}

const GRID = 'otlpGrid'

/** OTLP/HTTP as a plugin for any server. Whatever goes wrong on its paths is answered with OTLP's own Status. */
export async function otlpHttp(app: FastifyInstance, { receiver }: OtlpHttpOptions): Promise<void> {
  app.decorateRequest(GRID, null)
  // The handler reads the body itself, as a stream and only once the sender is known.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler((error, request, reply) => answerError(receiver, error, request, reply))
  for (const [url, signal] of OTLP_PATHS) registerPath(app, receiver, url, signal)
}

function registerPath(app: FastifyInstance, receiver: Receiver, url: string, signal: Signal): void {
  app.post(url, {
    onRequest: async (request) => {
      receiver.intake.measures.requested(signal, 'http')
      request.setDecorator(GRID, await receiver.admit(headerOf(request, 'api-key'), request.ip))
      requireEncoding(request)
    },
    handler: async (request, reply) => exportOver(receiver, signal, request, reply),
  })
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'POST'),
    url,
    onRequest: async () => {
      throw wrongMethod()
    },
    handler: async () => undefined,
  })
}

export function wrongMethod(): Refusal {
  return new Refusal('wrong_method', 'Telemetry is sent with POST.')
}

async function exportOver(
  receiver: Receiver,
  signal: Signal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const grid = request.getDecorator<Grid>(GRID)
  const contentLength = contentLengthOf(request)
  const reservation = receiver.intake.enter(grid, contentLength)
  try {
    const encoding = requireEncoding(request)
    const decoder = createContentDecoder(headerOf(request, 'content-encoding'))
    const body = await readBody(request.raw, { reservation, memoryFor: receiver.memoryFor, decoder, contentLength })
    const outcome = await receiver.deliver(grid, signal, encoding, body)
    reply.header('x-request-id', request.id)
    return reply.type(mediaTypeOf(encoding)).send(encodeExportResponse(signal, encoding, outcome))
  } finally {
    reservation.release()
  }
}

function requireEncoding(request: FastifyRequest): Encoding {
  const encoding = encodingOf(headerOf(request, 'content-type'))
  if (encoding !== undefined) return encoding
  throw new Refusal('unsupported_type', 'The content type must be application/x-protobuf or application/json.')
}

function contentLengthOf(request: FastifyRequest): number | undefined {
  const header = headerOf(request, 'content-length')
  return header === undefined ? undefined : Number(header)
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** In the request's own encoding; in JSON, which anybody can read, where it names none. */
export function answerError(
  receiver: Receiver,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = receiver.refuse(error, request.id)
  const status = statusOf(refusal)
  const encoding = encodingOf(headerOf(request, 'content-type')) ?? 'json'
  drain(request.raw)
  reply.header('x-request-id', request.id)
  if (refusal.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000)))
  if (refusal.reason === 'unauthenticated') reply.header('www-authenticate', 'API-Key')
  if (refusal.reason === 'wrong_method') reply.header('allow', 'POST')
  if (refusal.reason === 'unsupported_encoding') reply.header('accept-encoding', ACCEPTED_ENCODINGS)
  return reply
    .code(status.http)
    .type(mediaTypeOf(encoding))
    .send(encodeStatus(encoding, status.grpc, status.message, refusal.retryAfterMs))
}
