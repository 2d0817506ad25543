import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TProperties, TSchema } from 'typebox'
import type { AuditLog } from '../control/audit-log.ts'
import type { Caller } from '../identity/caller.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import type { Access } from './access.ts'
import { auditEntry } from './audit.ts'
import { callerKey } from './authentication.ts'
import type { Endpoint, GridAsked, Routes } from './endpoint.ts'
import { schemaOf, successStatus } from './endpoint-schema.ts'
import type { Admitted, Gate } from './gate.ts'
import { Problem } from './problem.ts'
import type { QuestionSlots } from './question-slots.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Declared by every route behind the gate. */
    access?: Access
  }
}

export interface RoutesOptions {
  gate: Gate
  slots: QuestionSlots
  telemetry: Pick<TelemetryStore, 'reader'>
  audit: Pick<AuditLog, 'record'>
  clock: () => number
}

type AnyEndpoint = Endpoint<TProperties, TProperties, TSchema, TSchema>
type AnyAsked = Omit<GridAsked<TProperties, TProperties, TSchema>, 'grid' | 'role' | 'reader'>
type AnyHandler = (admitted: Admitted, asked: AnyAsked) => Promise<unknown>

/** Puts endpoints behind the gate. No route comes into being without its schema and its access. */
export function createRoutes(app: FastifyInstance, { gate, slots, telemetry, audit, clock }: RoutesOptions): Routes {
  const admissions = new WeakMap<FastifyRequest, Admitted>()

  function register(endpoint: AnyEndpoint, handler: AnyHandler): void {
    app.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: schemaOf(endpoint),
      config: { access: endpoint.access },
      onRequest: async (request, reply) => {
        admissions.set(request, await gate(request, reply, endpoint.access))
      },
      handler: async (request, reply) => {
        const admitted = admissions.get(request)
        if (!admitted) throw new Error('A request came past the gate.')
        reply.code(successStatus(endpoint))
        if (endpoint.contentType) reply.header('content-type', endpoint.contentType)
        const answer = await handler(admitted, askedOf(request, reply, admitted.caller))
        const { params, body } = request
        if (changesSomething(endpoint))
          await audit.record(auditEntry(admitted, { summary: endpoint.summary, params, body, answer }, clock()))
        return answer ?? null
      },
    })
  }

  function askedOf(request: FastifyRequest, reply: FastifyReply, caller: Caller): AnyAsked {
    return {
      caller,
      nowMs: clock(),
      params: request.params as AnyAsked['params'],
      query: request.query as AnyAsked['query'],
      body: request.body as AnyAsked['body'],
      header: (name, value) => void reply.header(name, value),
    }
  }

  return {
    onGrid: (endpoint, handler) =>
      register(endpoint as unknown as AnyEndpoint, ({ grid, role, caller }, asked) => {
        if (!grid || !role) throw new Problem('unknown-grid', 'There is no such Grid.')
        const question = { ...asked, grid, role, reader: telemetry.reader(grid.id) }
        const run = () => handler(question as unknown as Parameters<typeof handler>[0])
        return endpoint.access.subscription === 'needed' ? slots.run(callerKey(caller), run) : run()
      }),
    onPlatform: (endpoint, handler) =>
      register(endpoint as unknown as AnyEndpoint, (_, asked) =>
        handler(asked as unknown as Parameters<typeof handler>[0]),
      ),
  }
}

/** A search is sent by POST too. */
function changesSomething({ method, access }: AnyEndpoint): boolean {
  return method !== 'GET' && (access.of !== 'grid' || access.scope === 'manage')
}
