import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

/** CONNECT has no path, and Node hands it to nobody. */
const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT')

export interface MethodGuards {
  /** Refuses, on every path that has been registered by then, the methods that it does not have. Comes last. */
  register(app: FastifyInstance): void
}

/** The framework takes a wrong method for an unknown path. Watches which paths get which methods. */
export function createMethodGuards(app: FastifyInstance): MethodGuards {
  const methodsByUrl = new Map<string, Set<string>>()
  const supported = new Set(app.supportedMethods)
  for (const method of ALL_METHODS) if (!supported.has(method)) app.addHttpMethod(method)

  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set<string>()
    for (const each of [method].flat()) methods.add(each)
    methodsByUrl.set(url, methods)
  })

  return {
    register(scope) {
      for (const [url, methods] of [...methodsByUrl].filter(([path]) => !path.includes('*'))) {
        const allow = [...methods].sort().join(', ')
        scope.route({
          url,
          method: ALL_METHODS.filter((method) => !methods.has(method)),
          schema: { hide: true },
          // Before the body is read, which is of no interest.
          onRequest: async ({ method }) => {
            throw new Problem('method-not-allowed', `${method} is not among ${allow}.`, { headers: { allow } })
          },
          handler: () => undefined,
        })
      }
    },
  }
}
