import type { Step } from '../system/generated-system.ts'
import type { Instance } from './instance.ts'
import type { Frame, Reply } from './visit.ts'
import type { World } from './world.ts'

type Query = Extract<Step, { do: 'query' }>

const POOL_TIMEOUT_MS = 2000

/** Waits for a connection of the instance's pool, then for the database. Only the latter is inside the span. */
export function queryDatabase(world: World, frame: Frame, step: Query, atMs: number): Reply {
  const { instance, operation, visit } = frame
  const waited = waitForConnection(world, instance, step.database, atMs)
  if (waited.failure) {
    world.recorder.exception(frame, waited.failure, waited.endMs)
    return waited
  }
  const scene = { instance, operation, customer: visit.customer, atMs }
  const times = Math.round(world.product(({ statementFactor }) => statementFactor?.(scene)))
  let reply = waited
  for (let i = 0; i < times && !reply.failure; i++) reply = runStatement(world, frame, step, reply.endMs)
  return reply
}

function runStatement(world: World, frame: Frame, step: Query, atMs: number): Reply {
  const { random, recorder } = world
  const trouble = world.first(({ dependency }) => dependency?.(step.database, frame.instance, atMs))
  const tookMs =
    random.lognormal(step.medianMs * (trouble?.factor ?? 1), 0.5) * world.wandering.factor(step.database, atMs)
  const failure = trouble?.failure
  const endMs = atMs + (failure ? (trouble?.failsAfterMs ?? tookMs) : tookMs)
  recorder.query(frame, step, { startMs: atMs, endMs, failure })
  if (failure) recorder.exception(frame, failure, endMs)
  return { endMs, failure }
}

function waitForConnection(world: World, instance: Instance, database: string, atMs: number): Reply {
  const { poolSize } = instance.service
  const { random } = world
  const held = world.sum(({ heldConnections }) => heldConnections?.(instance, database, atMs))
  const free = poolSize - held
  if (free >= poolSize * 0.3) return { endMs: atMs, failure: undefined }
  const waitMs = random.lognormal(free <= 0.5 ? POOL_TIMEOUT_MS * 1.4 : 300 / Math.max(0.5, free), 0.5)
  if (waitMs < POOL_TIMEOUT_MS) return { endMs: atMs + waitMs, failure: undefined }
  const { dialect } = instance
  const message = dialect.poolTimeout(database, poolSize, 4 + random.integer(20), POOL_TIMEOUT_MS)
  return { endMs: atMs + POOL_TIMEOUT_MS, failure: { type: dialect.poolTimeoutType, message, status: 500 } }
}
