import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'

export interface OAuthMount {
  /** Answers everything under `/oauth` by itself, with the address as the client sent it. */
  handler: RequestListener
  /** What `/.well-known/openid-configuration` and `/.well-known/oauth-authorization-server` answer. */
  discovery?: () => unknown
}

const DISCOVERY_PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

export async function mountOAuth(app: FastifyInstance, { handler, discovery }: OAuthMount): Promise<void> {
  // The bodies are the handler's to read.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const url of ['/oauth', '/oauth/*']) {
    app.all(url, { schema: { hide: true }, helmet: false, compress: false }, (request, reply) => {
      reply.hijack()
      reply.raw.setHeader('x-request-id', request.id)
      handler(request.raw, reply.raw)
    })
  }
  if (!discovery) return
  for (const url of DISCOVERY_PATHS) app.get(url, { schema: { hide: true } }, async () => discovery())
}
