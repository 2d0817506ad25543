import { createReadStream } from 'node:fs'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { apiDescription } from './api-description.ts'
import { TAGS } from './endpoint.ts'
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

/** The page runs two scripts of ours, and styles itself as it goes. It asks nobody but this server. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Faultline API</title></head>
<body><div id="reference"></div><script src="reference.js"></script><script src="start.js"></script></body>
</html>
`

const SETTINGS = {
  url: '../openapi.json',
  // Each of these would call out to the internet.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}
const START = `Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)})\n`

/** Read from its file when somebody looks: the package's own plugin would hold it, and more, in memory for good. */
const REFERENCE = new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'))

/** The document at `/openapi.json`, and a page to read it at `/docs`. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } }
  app.get('/openapi.json', hidden, async () => app.swagger())
  app.get('/docs', hidden, (_request, reply) => reply.redirect('docs/'))
  app.get('/docs/', hidden, (_request, reply) =>
    reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE),
  )
  const script = 'text/javascript; charset=utf-8'
  app.get('/docs/start.js', hidden, (_request, reply) => reply.type(script).send(START))
  app.get('/docs/reference.js', hidden, (_request, reply) =>
    reply.type(script).header('cache-control', 'max-age=86400').send(createReadStream(REFERENCE)),
  )
}
