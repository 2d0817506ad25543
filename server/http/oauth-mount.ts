import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'

export interface OAuthMount {
  /** Answers everything under `/oauth`, and the documents by which clients discover it, all by itself. */
  handler: RequestListener
}

const DISCOVERY = ['openid-configuration', 'oauth-authorization-server'].map((name) => `/.well-known/${name}`)

export async function mountOAuth(app: FastifyInstance, { handler }: OAuthMount): Promise<void> {
  // The bodies are the handler's to read.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const url of ['/oauth', ...DISCOVERY].flatMap((path) => [path, `${path}/*`])) {
    app.all(url, { schema: { hide: true }, helmet: false, compress: false }, (request, reply) => {
      reply.hijack()
      reply.raw.setHeader('x-request-id', request.id)
      handler(request.raw, reply.raw)
    })
  }
}
