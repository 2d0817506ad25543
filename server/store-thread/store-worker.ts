import { parentPort, workerData } from 'node:worker_threads'
import { createStoreIngest } from '../ingest/store-ingest.ts'
import { type DuckDbOptions, openDuckDbStore } from '../storage/duckdb/duckdb-store.ts'
import { type Answer, type Call, type CallMessage, OPENING_ID } from './messages.ts'

/** The thread that owns the telemetry store: it decodes what comes in, writes it, and asks the database. */

const port = parentPort
if (!port) throw new Error('the store must run in a thread of its own')
const answer = (message: Answer) => port.postMessage(message)

const warn = (message: string) => answer({ kind: 'warning', message })
const options: DuckDbOptions = { ...(workerData as Omit<DuckDbOptions, 'warn'>), warn }
const opening = openDuckDbStore(options)
opening.then(
  () => answer({ kind: 'result', id: OPENING_ID, value: undefined }),
  (error: Error) => answer({ kind: 'failure', id: OPENING_ID, name: error.name, message: error.message }),
)
const serving = opening.then((store) => ({ store, ingest: createStoreIngest(store, Date.now) }))
// Whoever opens the thread was told above.
serving.catch(() => undefined)

async function respond(call: Call): Promise<unknown> {
  const { store, ingest } = await serving
  if (call.to === 'export') return await ingest.export(call.request)
  const target = (call.to === 'reader' ? store.reader(call.gridId) : store) as unknown as Record<string, Method>
  return await target[call.method]?.(...call.args)
}

type Method = (...args: unknown[]) => Promise<unknown>

port.on('message', ({ id, call }: CallMessage) => {
  respond(call).then(
    (value) => answer({ kind: 'result', id, value }),
    (error: Error) => answer({ kind: 'failure', id, name: error.name, message: error.message }),
  )
})
