import type { FastifyBaseLogger } from 'fastify'
import type { Grid } from '../control/control-store.ts'
import { AuthenticationFailed, type Authenticator, type Caller } from '../identity/caller.ts'
import type { BodyMemory } from '../ingest/body-memory.ts'
import type { Encoding, ExportOutcome, Ingest, Signal } from '../ingest/ingest.ts'
import type { MemoryFor } from './body.ts'
import { createFailedLogins, type FailedLogins } from './failed-logins.ts'
import { createGridCache, type GridFinder } from './grid-cache.ts'
import type { Intake } from './intake.ts'
import { knownRefusal, RETRY_AFTER_MS, Refusal } from './refusal.ts'

export interface ReceiverDeps {
  ingest: Pick<Ingest, 'export'> & { memory?: BodyMemory }
  authenticator: Authenticator
  control: GridFinder
  intake: Intake
  /** Milliseconds since 1970. */
  clock: () => number
  logger: FastifyBaseLogger
  failedLogins?: FailedLogins
}

/** What every transport does with a request. One receiver serves all ports. */
export interface Receiver {
  readonly intake: Intake
  /** For the bodies that it is to deliver. */
  readonly memoryFor: MemoryFor
  readonly logger: FastifyBaseLogger
  /** The Grid that the key may send to. Rejects with a `Refusal`; nothing of the body has to be read for it. */
  admit(apiKey: string | undefined, address: string): Promise<Grid>
  /** Resolves once the body is durable. Takes ownership of the body's memory. */
  deliver(grid: Grid, signal: Signal, encoding: Encoding, body: Uint8Array): Promise<ExportOutcome>
  /** Puts any error into words for the sender, counts it, and logs it where nobody foresaw it. */
  refuse(error: unknown, requestId: string): Refusal
  /** From now on every request is refused as `unavailable`; those under way are finished. */
  stop(): void
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const FAILED_LOGINS_RETRY_MS = 60_000

export function createReceiver(deps: ReceiverDeps): Receiver {
  const { ingest, authenticator, intake, clock, logger } = deps
  const failedLogins = deps.failedLogins ?? createFailedLogins(clock)
  const findGrid = createGridCache(deps.control, clock)
  let stopping = false

  async function authenticate(apiKey: string | undefined, address: string): Promise<Caller> {
    try {
      if (apiKey === undefined || apiKey === '')
        throw new AuthenticationFailed('An API key is needed: send it as API-Key.')
      return await authenticator.authenticate({ apiKey, authorization: undefined })
    } catch (error) {
      if (!(error instanceof AuthenticationFailed)) throw error
      if (!failedLogins.allow(address)) {
        throw new Refusal('too_many_failed_logins', 'Too many failed authentications.', FAILED_LOGINS_RETRY_MS)
      }
      failedLogins.record(address)
      throw new Refusal('unauthenticated', error.message)
    }
  }

  return {
    intake,
    memoryFor: (bytes) => ingest.memory?.take(bytes) ?? Buffer.allocUnsafeSlow(bytes),
    logger,
    async admit(apiKey, address) {
      if (stopping) throw new Refusal('unavailable', 'The server is stopping.', RETRY_AFTER_MS)
      const caller = await authenticate(apiKey, address)
      if (caller.kind !== 'key') throw new Refusal('forbidden', 'Telemetry is taken with an API key only.')
      if (!caller.scopes.includes('ingest')) throw new Refusal('forbidden', 'This API key lacks the scope "ingest".')
      return requireServed(await findGrid(caller.gridId))
    },
    async deliver(grid, signal, encoding, body) {
      // The body may have been long on its way. Whoever removes the Grid's telemetry does so after what is handed over here.
      if (deps.control.grids.isRemoved(grid.id))
        throw new Refusal('unauthenticated', 'The Grid of this API key was removed.')
      const startedMs = clock()
      const outcome = await ingest.export({
        gridId: grid.id,
        signal,
        encoding,
        body,
        oldestNs: nanoseconds(Math.max(startedMs - grid.rawRetentionDays * DAY_MS, grid.recordsFromMs)),
        newestNs: nanoseconds(startedMs + HOUR_MS),
      })
      intake.spend(grid, outcome.accepted)
      intake.measures.acknowledged(signal, outcome, clock() - startedMs)
      return outcome
    },
    refuse(error, requestId) {
      const refusal = knownRefusal(error) ?? unforeseen(error, requestId, logger)
      intake.measures.refused(refusal.reason)
      return refusal
    },
    stop() {
      stopping = true
    },
  }
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.trunc(ms)) * 1_000_000n
}

function requireServed(grid: Grid | undefined): Grid {
  if (grid === undefined) throw new Refusal('forbidden', 'The Grid of this API key does not exist.')
  if (grid.subscriptionState === 'active' || grid.subscriptionState === 'trial') return grid
  throw new Refusal('subscription', `The subscription of this Grid is ${grid.subscriptionState}.`)
}

function unforeseen(error: unknown, requestId: string, logger: FastifyBaseLogger): Refusal {
  logger.error({ err: error, reqId: requestId }, 'An export request failed')
  return new Refusal('unavailable', `The server could not take this request (request ${requestId}).`, RETRY_AFTER_MS)
}
