import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../domain/store-errors.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { DuckDbOptions } from '../storage/duckdb/duckdb-store.ts'
import type { TelemetryReader, TelemetryStore } from '../storage/telemetry-store.ts'
import { type Answer, type Call, reviveError, type StoreMethod } from './messages.ts'

export interface StoreThread extends Ingest, Pick<TelemetryStore, 'reader' | StoreMethod> {}

interface Waiting {
  resolve: (value: never) => void
  reject: (error: Error) => void
}

const READER_METHODS: (keyof TelemetryReader)[] = [
  'span',
  'traceSpans',
  'traceErrorSpans',
  'traceLogs',
  'searchTraces',
  'traceFilterOptions',
  'serviceRequests',
  'unansweredCalls',
  'logs',
  'metricPoints',
]

interface StoreThreadOptions {
  store: Omit<DuckDbOptions, 'warn'>
  warn: (message: string) => void
  /** The thread ended though nobody closed it; nothing can be served any more. */
  died: (reason: Error) => void
}

/** Opens the telemetry store in a thread of its own. Rejects with a `StoreUnusable` where it cannot be opened. */
export async function openStoreThread({ store, warn, died }: StoreThreadOptions): Promise<StoreThread> {
  const worker = new Worker(new URL('./store-worker.js', import.meta.url), { workerData: store })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let closing = false

  function send<T>(call: Call, transfer: ArrayBuffer[] = []): Promise<T> {
    if (closing) return Promise.reject(new StoreUnavailable('the store is closed'))
    return new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, call }, transfer)
    })
  }

  function settle(answer: Extract<Answer, { id: number }>): void {
    const waiter = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.kind === 'result') waiter?.resolve(answer.value as never)
    else waiter?.reject(reviveError(answer.name, answer.message))
  }

  function end(error: Error): void {
    for (const { reject } of waiting.values()) reject(new StoreUnavailable('the store stopped'))
    waiting.clear()
    if (!closing) died(error)
  }

  const opened = new Promise<void>((resolve, reject) => {
    waiting.set(0, { resolve, reject })
    worker.on('message', (answer: Answer) => {
      if (answer.kind === 'warning') warn(answer.message)
      else if (answer.kind === 'opened') resolve()
      else settle(answer)
    })
  })
  worker.on('error', end)
  worker.on('exit', (code) => end(new Error(`the store's thread ended with code ${code}`)))
  await opened.catch(async (error) => {
    closing = true
    await worker.terminate()
    throw error
  })
  waiting.delete(0)

  const onStore =
    (method: StoreMethod) =>
    (...args: unknown[]) =>
      send<never>({ to: 'store', method, args })
  return {
    export: (request) => send({ to: 'export', request }, transferable(request.body)),
    reader: (gridId) => remoteReader((method, args) => send({ to: 'reader', gridId, method, args })),
    expire: onStore('expire'),
    dropGrid: onStore('dropGrid'),
    measure: onStore('measure'),
    async close() {
      if (closing) return
      const closed = send<void>({ to: 'store', method: 'close', args: [] })
      closing = true
      await closed
      await worker.terminate()
    },
  }
}

function remoteReader(send: (method: keyof TelemetryReader, args: unknown[]) => Promise<unknown>): TelemetryReader {
  const methods = READER_METHODS.map((method) => [method, (...args: unknown[]) => send(method, args)])
  return Object.fromEntries(methods) as TelemetryReader
}

/** Memory that a body shares with others must be copied, not handed over. */
function transferable(body: Uint8Array): ArrayBuffer[] {
  const { buffer } = body
  return buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength && body.byteLength > 0 ? [buffer] : []
}
