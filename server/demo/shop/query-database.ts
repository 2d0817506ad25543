import { SpanKind } from '@opentelemetry/api'
import type { Process } from '../engine/kernel.ts'
import { DATABASES, type DatabaseName } from '../topology/dependencies.ts'
import type { Step } from '../topology/step.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { Fault } from './fault.ts'
import { type Frame, recordException, startChild } from './frame.ts'

type Query = Extract<Step, { do: 'query' }>

/** Waits for a connection of the instance's pool, then for the database. Only the latter is inside the span. */
export function* queryDatabase(frame: Frame, step: Query): Process<void> {
  if (frame.held?.name === step.database) {
    yield* runStatement(frame, step)
    return
  }
  yield* withConnection(frame, step.database, () => runStatement(frame, step))
}

/** Gives the connection back whatever happens. Waiting in vain for one is a fault. */
export function* withConnection(
  frame: Frame,
  database: DatabaseName,
  work: (pool: ConnectionPool) => Process<void>,
): Process<void> {
  const pool = frame.instance.pool(database)
  if (!(yield* pool.acquire())) throw poolTimeout(frame, pool)
  try {
    yield* work(pool)
  } finally {
    pool.release()
  }
}

function poolTimeout({ instance: { dialect } }: Frame, pool: ConnectionPool): Fault {
  const message = dialect.poolTimeout(pool.name, pool.connectionsMax, pool.waiting, pool.timeoutMs)
  return new Fault(dialect.poolTimeoutType, message, 500)
}

function* runStatement(frame: Frame, step: Query): Process<void> {
  const { shop, instance } = frame
  const spec = DATABASES[step.database]
  const span = startChild(frame, {
    name: step.summary,
    kind: SpanKind.CLIENT,
    scope: instance.dialect.scopes.database,
    attributes: {
      'db.system.name': spec.system,
      'db.namespace': spec.namespace,
      'db.operation.name': step.summary.split(' ', 1)[0] ?? step.summary,
      'db.query.summary': step.summary,
      'db.query.text': step.text,
      'server.address': spec.address,
      'server.port': spec.port,
    },
  })
  try {
    if (instance.cutOff.has(step.database)) throw refused(frame, spec.address, spec.port)
    yield* occupyDatabase(frame, step)
  } catch (error) {
    if (error instanceof Fault) {
      span.markFailed(error.type, error.message)
      recordException(frame, span, error)
    }
    throw error
  } finally {
    shop.recorder.endSpan(span)
  }
}

function* occupyDatabase({ shop }: Frame, step: Query): Process<void> {
  const gate = shop.databases.get(step.database)
  if (gate === undefined) throw new Error(`There is no database ${step.database}.`)
  yield* gate.enter()
  yield* shop.kernel.sleep(shop.random.lognormal(step.medianMs, 0.35))
  gate.leave()
}

function refused({ instance: { dialect } }: Frame, address: string, port: number): Fault {
  return new Fault(dialect.refusedType, `connect to ${address}:${port}: Connection refused`, 500)
}
