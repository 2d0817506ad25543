import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ControlStore, Grid, Role } from '../control/control-store.ts'
import type { Caller } from '../identity/caller.ts'
import { type Access, gridIdOf, permitOnGrid, requireAdministrator } from './access.ts'
import { type Authentication, callerKey, callerOf } from './authentication.ts'
import type { CallerLimits } from './caller-limits.ts'
import { Problem } from './problem.ts'
import { requireVersion, SUPPORTED_VERSION } from './versions.ts'

/** Who was let in. The Grid is undefined where the route is about none, or about one that does not exist. */
export interface Admitted {
  caller: Caller
  grid: Grid | undefined
  role: Role | undefined
}

export type Gate = (request: FastifyRequest, reply: FastifyReply, access: Access) => Promise<Admitted>

export interface GateOptions {
  control: ControlStore
  authentication: Authentication
  limits: CallerLimits
  /** Why nothing new is taken, where that is so. */
  closing: () => string | undefined
}

/**
 * What every request to the API passes before its parameters and its body are looked at, in the order of the contract:
 * version, authentication, the Grid's id, access, rate limits.
 */
export function createGate({ control, authentication, limits, closing }: GateOptions): Gate {
  async function admit(caller: Caller, access: Access, params: unknown): Promise<Admitted> {
    if (access.of === 'administrators') requireAdministrator(caller)
    if (access.of !== 'grid') return { caller, grid: undefined, role: undefined }
    return { caller, ...(await permitOnGrid(control, caller, access, gridIdOf(params))) }
  }

  return async (request, reply, access) => {
    refuseWhile(closing())
    reply.header('api-supported-versions', SUPPORTED_VERSION)
    requireVersion(request)
    const caller = await callerOf(request, authentication)
    request.log = request.log.child({ caller: callerKey(caller) })
    await limits.show(reply, callerKey(caller))
    const admitted = await admit(caller, access, request.params)
    await limits.count(reply, callerKey(caller), admitted.grid)
    return admitted
  }
}

function refuseWhile(closing: string | undefined): void {
  if (closing === undefined) return
  throw new Problem('not-ready', closing, { headers: { connection: 'close', 'retry-after': '5' } })
}
