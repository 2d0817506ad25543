import type { Middleware, Provider } from 'oidc-provider'
import { hashOfSecret, sameHash } from '../../control/secrets.ts'
import { type ConfigurationOptions, configurationOf } from './configuration.ts'
import { createInteractions } from './interactions.ts'

/** Keys cannot be exchanged in a provider: each rotation makes a new one. What it remembers is in the store. */
export function createProvider(issuer: string, options: ConfigurationOptions): Provider {
  const { library, control, mountPath, publicUrl, reportError } = options
  const provider = new library.Provider(issuer, configurationOf(options))
  provider.Client.prototype.compareClientSecret = function (secret) {
    return sameHash(this.clientSecret, hashOfSecret(secret))
  }
  linkToPublicUrl(provider, publicUrl)
  provider.use(createNotFound(mountPath))
  provider.use(createInteractions({ provider, control, mountPath }))
  provider.on('server_error', (_context, error) => reportError(error))
  provider.on('error', reportError)
  return provider
}

/** Links and cookies follow the configured address, whatever a request or a proxy says in its headers. */
function linkToPublicUrl(provider: Provider, publicUrl: string): void {
  const { protocol, host } = new URL(publicUrl)
  Object.defineProperties(provider.request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
  })
}

function createNotFound(mountPath: string): Middleware {
  return async (context, next) => {
    await next()
    if (context.status !== 404 || context.body) return
    const instance = `${mountPath}${context.path}`
    const detail = 'There is nothing at this address.'
    const problem = { type: 'urn:faultline:problem:unknown-path', title: 'Not Found', status: 404, detail, instance }
    context.status = 404
    context.body = JSON.stringify(problem)
    context.type = 'application/problem+json'
  }
}
