import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { problemResponses } from '../endpoint-schema.ts'
import { Problem } from '../problem.ts'
import { fields } from '../schemas/values.ts'

export interface SystemOptions {
  /** Why the server cannot serve; undefined where it can. */
  ready: () => Promise<string | undefined>
  /** In the text format of Prometheus. */
  renderMetrics: () => Promise<string>
}

const said = (description: string, schema: object, type = 'application/json') => ({
  200: { description, content: { [type]: { schema } } },
})
const status = (word: string) => fields({ status: Type.Literal(word) })

/** What needs neither a key nor a version. Machines ask for these all day, so they are logged only when they fail. */
export async function registerSystem(app: FastifyInstance, { ready, renderMetrics }: SystemOptions): Promise<void> {
  const open = { tags: ['System'], security: [] }
  const logLevel = 'warn'

  app.get(
    '/',
    {
      schema: {
        ...open,
        summary: 'Where to go from here',
        operationId: 'welcome',
        response: said(
          'Addresses within this server.',
          fields({ name: Type.String(), docs: Type.String(), openapi: Type.String() }),
        ),
      },
    },
    async () => ({ name: 'Faultline', docs: '/docs/', openapi: '/openapi.json' }),
  )

  app.get(
    '/healthz',
    {
      logLevel,
      schema: {
        ...open,
        summary: 'Is the process alive',
        operationId: 'alive',
        response: said('It is.', status('alive')),
      },
    },
    async () => ({ status: 'alive' }),
  )

  app.get(
    '/readyz',
    {
      logLevel,
      schema: {
        ...open,
        summary: 'Can the server serve',
        operationId: 'ready',
        response: { ...said('It can.', status('ready')), ...problemResponses(['not-ready']) },
      },
    },
    async () => {
      const reason = await ready()
      if (reason !== undefined) throw new Problem('not-ready', reason)
      return { status: 'ready' }
    },
  )

  app.get(
    '/metrics',
    {
      logLevel,
      schema: {
        ...open,
        summary: 'What the server measures of itself',
        operationId: 'metrics',
        response: said('Metrics.', Type.String(), 'text/plain'),
      },
    },
    async (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(await renderMetrics()),
  )
}
