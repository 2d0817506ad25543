import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isWorthKeeping } from '../ingest/body-memory.ts'
import type { ExportOutcome, ExportRequest } from '../ingest/ingest.ts'
import { createStoreIngest } from '../ingest/store-ingest.ts'
import { openDuckDbStore } from '../storage/duckdb/open-duckdb-store.ts'
import type { DuckDbOptions } from '../storage/duckdb/options.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import { type Answer, type Call, type CallMessage, OPENING_ID } from './messages.ts'
import { pack } from './packed-rows.ts'
import { TurnTaking } from './turn-taking.ts'

/** The thread that owns the telemetry store: it decodes what comes in, writes it, and asks the database. */

const port = parentPort
if (!port) throw new Error('the store must run in a thread of its own')
const answer = (message: Answer, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

const warn = (message: string) => answer({ kind: 'warning', message })
const options: DuckDbOptions = { ...(workerData as Omit<DuckDbOptions, 'warn'>), warn }

type Method = (...args: unknown[]) => Promise<unknown>

try {
  serve(await openDuckDbStore(options), port)
  answer({ kind: 'result', id: OPENING_ID, value: undefined })
} catch (error) {
  fail(OPENING_ID, error as Error)
}

function serve(store: TelemetryStore, calls: MessagePort): void {
  const ingest = createStoreIngest(store, Date.now)
  let questions = 0
  const writing = new TurnTaking(() => questions > 0)

  // Not asynchronous itself: a turn must know what its tasks take.
  function respond(call: Call): Promise<unknown> {
    if (call.to === 'export') return exported(call.request)
    if (call.to === 'privacy') return ingest.setPrivacy(call.gridId, call.policy)
    const target = (call.to === 'reader' ? store.reader(call.gridId) : store) as unknown as Record<string, Method>
    return (target[call.method] as Method)(...call.args)
  }

  /** Gives the memory of the body back as soon as it was decoded, which is long before its records are durable. */
  function exported(request: ExportRequest): Promise<ExportOutcome> {
    const outcome = ingest.export(request)
    const { buffer } = request.body
    if (buffer instanceof ArrayBuffer && isWorthKeeping(buffer)) answer({ kind: 'memory', buffer }, [buffer])
    return outcome
  }

  async function take({ id, call }: CallMessage): Promise<void> {
    await respond(call).then(
      (value) => answer({ kind: 'result', id, value: pack(value) }),
      (error: Error) => fail(id, error),
    )
  }

  async function ask(message: CallMessage): Promise<void> {
    questions++
    await take(message).finally(() => questions--)
  }

  // Questions overtake what is to be written, since nobody was promised that yet. Closing comes after it.
  calls.on('message', (message: CallMessage) => {
    if (message.call.to === 'reader') void ask(message)
    else writing.push(() => void take(message))
  })
}

function fail(id: number, { name, message }: Error): void {
  answer({ kind: 'failure', id, name, message })
}
