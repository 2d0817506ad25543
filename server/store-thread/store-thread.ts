import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../domain/store-errors.ts'
import { BodyMemory } from '../ingest/body-memory.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { DuckDbOptions } from '../storage/duckdb/options.ts'
import type { TelemetryReader, TelemetryStore } from '../storage/telemetry-store.ts'
import { type Answer, type Call, OPENING_ID, reviveError, type StoreMethod } from './messages.ts'
import { unpack } from './packed-rows.ts'

export interface StoreThread extends Ingest, Pick<TelemetryStore, 'reader' | StoreMethod> {
  /** For the bodies that are to be exported. */
  readonly memory: BodyMemory
}

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
  'searchLogs',
  'log',
  'firstLogOfSpan',
  'logPatterns',
  'newestOfPatterns',
  'logFilterOptions',
  'requests',
  'requestSeries',
  'edges',
  'edgeSeries',
  'serviceSpans',
  'resourceActivity',
  'failures',
  'sampleSpans',
  'spansOfTraces',
  'wholeSpans',
  'logCounts',
  'drawnTraces',
  'sampleLogs',
  'pointsOf',
  'metricNames',
  'firstSpanNs',
  'hourVersions',
  'logs',
  'metricPoints',
  'requestSteps',
  'logSteps',
  'metricTraits',
  'metricSteps',
]

interface StoreThreadOptions {
  store: Omit<DuckDbOptions, 'warn'>
  warn: (message: string) => void
  /** The thread ended though nobody closed it; nothing can be served any more. */
  died: (reason: Error) => void
}

/**
 * Opens the telemetry store in a thread of its own. Rejects with a `StoreUnusable` where it cannot be opened. Once the thread
 * has ended, every call rejects with a `StoreUnavailable`.
 */
export async function openStoreThread(
  { store, warn, died }: StoreThreadOptions,
  worker = new Worker(new URL('./store-worker.js', import.meta.url), { workerData: store }),
): Promise<StoreThread> {
  const waiting = new Map<number, Waiting>()
  const memory = new BodyMemory()
  let lastId = OPENING_ID
  let state: 'opening' | 'open' | 'closing' | 'ended' = 'opening'
  let closed: Promise<unknown> | undefined

  function send<T>(call: Call, transfer: ArrayBuffer[] = []): Promise<T> {
    if (state !== 'open') return Promise.reject(new StoreUnavailable('the store is closed'))
    return new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, call }, transfer)
    })
  }

  function settle(answer: Extract<Answer, { id: number }>): void {
    const waiter = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.kind === 'result' && answer.id === OPENING_ID) state = 'open'
    if (answer.kind === 'result') waiter?.resolve(unpack(answer.value) as never)
    else waiter?.reject(reviveError(answer.name, answer.message))
  }

  /** An error of the thread is followed by its exit: the first of the two tells why. */
  function end(error: Error): void {
    const wasOpen = state === 'open'
    state = 'ended'
    waiting.get(OPENING_ID)?.reject(error)
    waiting.delete(OPENING_ID)
    for (const { reject } of waiting.values()) reject(new StoreUnavailable('the store stopped'))
    waiting.clear()
    if (wasOpen) died(error)
  }

  worker.on('message', (answer: Answer) => {
    if (answer.kind === 'warning') warn(answer.message)
    else if (answer.kind === 'memory') memory.giveBack(answer.buffer)
    else settle(answer)
  })
  worker.on('error', end)
  worker.on('exit', (code) => end(new Error(`the store's thread ended with code ${code}`)))
  try {
    await new Promise<void>((resolve, reject) => waiting.set(OPENING_ID, { resolve, reject }))
  } catch (error) {
    await worker.terminate()
    throw error
  }

  const onStore =
    (method: StoreMethod) =>
    (...args: unknown[]) =>
      send<never>({ to: 'store', method, args })
  return {
    memory,
    export(request) {
      const body = unshared(request.body, memory)
      return send({ to: 'export', request: { ...request, body } }, [body.buffer])
    },
    setPrivacy: (gridId, policy) => send({ to: 'privacy', gridId, policy }),
    reader: (gridId) => remoteReader((method, args) => send({ to: 'reader', gridId, method, args })),
    expire: onStore('expire'),
    fitInto: onStore('fitInto'),
    usage: onStore('usage'),
    dropGrid: onStore('dropGrid'),
    settledHours: onStore('settledHours'),
    deleteRecords: onStore('deleteRecords'),
    setApdex: onStore('setApdex'),
    files: onStore('files'),
    holdFiles: onStore('holdFiles'),
    releaseFiles: onStore('releaseFiles'),
    measure: onStore('measure'),
    async close() {
      if (state === 'ended') return
      closed ??= send<void>({ to: 'store', method: 'close', args: [] }).finally(() => worker.terminate())
      if (state === 'open') state = 'closing'
      await closed
    },
  }
}

function remoteReader(send: (method: keyof TelemetryReader, args: unknown[]) => Promise<unknown>): TelemetryReader {
  const methods = READER_METHODS.map((method) => [method, (...args: unknown[]) => send(method, args)])
  return Object.fromEntries(methods) as TelemetryReader
}

/** Memory that a body shares with others must not be handed over. */
function unshared(body: Uint8Array, memory: BodyMemory): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = body
  const isAlone = buffer instanceof ArrayBuffer && (buffer.byteLength === byteLength || memory.isLent(buffer))
  return isAlone ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(body)
}
