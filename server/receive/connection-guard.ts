import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type ConnectionSlots, createConnectionSlots } from './connection-slots.ts'

export interface ConnectionLimits {
  connectionsMax: number
  /** For the head of a request, counted from when the connection was opened or the last answer was given. */
  headersTimeoutMs: number
  /** For a whole request, so that a body sent drop by drop does not hold its place for ever. */
  requestTimeoutMs: number
  /** Longer than the usual minute of load balancers, so that they close an idle connection first. */
  keepAliveTimeoutMs: number
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 4_096,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
}

/** How often node looks for requests over time; can only be given as `connectionsCheckingInterval` of a new server. */
export const CONNECTION_CHECK_MS = 5_000

/**
 * Must be called before the server listens. Works for http and https. A connection whose last request ends while the
 * server is closing is closed as well: node itself closes only those that are idle at that moment.
 */
export function guardConnections(server: Server, limits: Partial<ConnectionLimits> = {}): ConnectionSlots {
  const { connectionsMax, headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = {
    ...DEFAULT_CONNECTION_LIMITS,
    ...limits,
  }
  server.headersTimeout = headersTimeoutMs
  server.requestTimeout = requestTimeoutMs
  server.keepAliveTimeout = keepAliveTimeoutMs
  const slots = createConnectionSlots(connectionsMax)
  server.on('connection', (socket) => slots.add(socket))
  server.prependListener('request', (request, response) => {
    const end = slots.begin(request.socket)
    afterBoth(request, response, () => {
      end()
      if (!server.listening) request.socket.destroySoon()
    })
  })
  return slots
}

/** A request that was answered before its whole body had arrived is still in progress. */
function afterBoth(request: IncomingMessage, response: ServerResponse, then: () => void): void {
  let open = 2
  const closed = (): void => {
    open -= 1
    if (open === 0) then()
  }
  request.once('close', closed)
  response.once('close', closed)
}
