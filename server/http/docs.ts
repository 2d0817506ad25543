import swagger from '@fastify/swagger'
import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { apiDescription } from './api-description.ts'
import { TAGS } from './endpoint.ts'
import { Problem } from './problem.ts'
import { problemSchema } from './schemas/problem.ts'

/** Describes every route that is registered after it. */
export async function describeRoutes(app: FastifyInstance, publicUrl: string): Promise<void> {
  app.addSchema(problemSchema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Faultline', version: '2.0', description: apiDescription() },
      servers: [{ url: publicUrl }],
      tags: [...TAGS, 'System'].map((name) => ({ name })),
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'API-Key' },
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        },
      },
    },
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, index) => String($id ?? `schema-${index}`) },
  })
}

/**
 * The page runs one script of ours and one that is written into it, and styles itself as it goes. It asks nobody but
 * this server.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = {
  url: '../openapi.json',
  pageTitle: 'Faultline API',
  // Each of these would call out to the internet.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
}

/** The document at `/openapi.json`, and a page to read it at `/docs`. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  app.register(apiReference, {
    routePrefix: '/docs',
    configuration: PAGE,
    hooks: {
      onRequest: (request, reply, done) => {
        // The page's redirect is made from this header.
        if (!URL.canParse(`http://${request.host}`)) {
          return done(new Problem('malformed-request', 'The header Host is missing or malformed.'))
        }
        reply.header('content-security-policy', PAGE_POLICY)
        done()
      },
    },
  })
}
