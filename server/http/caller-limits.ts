import type { FastifyReply } from 'fastify'
import type { Grid } from '../control/control-store.ts'
import { Problem } from './problem.ts'
import type { Allowance, Bucket, TokenBuckets } from './rate-limits.ts'

export interface RateLimitDefaults {
  callerPerMinute: number
  gridPerMinute: number
}

export interface CallerLimits {
  /** Writes what the caller has left into the answer, without counting the request. */
  show(reply: FastifyReply, callerKey: string): Promise<void>
  /** Counts the request against its caller and its Grid, or refuses it. */
  count(reply: FastifyReply, callerKey: string, grid: Grid | undefined): Promise<void>
}

/** A Grid's own settings win over the defaults, for the Grid and for each caller while it asks about that Grid. */
export function createCallerLimits(
  buckets: TokenBuckets,
  defaults: RateLimitDefaults,
  clock: () => number,
): CallerLimits {
  const ofCaller = (callerKey: string, grid?: Grid): Bucket => ({
    key: callerKey,
    perMinute: grid?.rateLimitCaller ?? defaults.callerPerMinute,
  })
  const ofGrid = (grid: Grid): Bucket => ({
    key: `grid:${grid.id}`,
    perMinute: grid.rateLimitGrid ?? defaults.gridPerMinute,
  })
  return {
    async show(reply, callerKey) {
      reply.headers(headersOf(await buckets.look([ofCaller(callerKey)], clock())))
    },
    async count(reply, callerKey, grid) {
      const ofOthers = grid ? [ofGrid(grid)] : []
      const taken = await buckets.take([ofCaller(callerKey, grid), ...ofOthers], clock())
      reply.headers(headersOf(taken.tightest))
      if (taken.granted) return
      const detail = `At most ${taken.tightest.limit} requests a minute are allowed; try again in ${taken.retryAfterSeconds} s.`
      throw new Problem('rate-limit-exceeded', detail, { headers: { 'retry-after': String(taken.retryAfterSeconds) } })
    },
  }
}

function headersOf({ limit, remaining, resetSeconds }: Allowance): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  }
}
