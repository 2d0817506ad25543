import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, StoreUnusable } from '../domain/store-errors.ts'
import type { ExportRequest } from '../ingest/ingest.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../storage/duckdb/options.ts'
import { openStoreThread, type StoreThread } from './store-thread.ts'

const OPENED = `parent.postMessage({ kind: 'result', id: 0 })`
const GRID = '11111111-1111-4111-8111-111111111111'

function requestOf(body = new Uint8Array(1)): ExportRequest {
  return { gridId: GRID, signal: 'traces', encoding: 'protobuf', body, oldestNs: 0n, newestNs: 0n }
}

interface Opened {
  opening: Promise<StoreThread>
  deaths: Error[]
  warnings: string[]
  /** Resolves when a death was reported. */
  death: Promise<void>
}

/** A thread that runs these lines in place of the store. */
function openThread(lines: string): Opened {
  const worker = new Worker(`const { parentPort: parent } = require('node:worker_threads')\n${lines}`, { eval: true })
  const deaths: Error[] = []
  const warnings: string[] = []
  const store = { ...DEFAULT_DUCKDB_OPTIONS, folder: 'none' }
  let opening: Promise<StoreThread> = Promise.reject(new Error('not begun'))
  opening.catch(() => undefined)
  const death = new Promise<void>((resolve) => {
    const died = (error: Error) => {
      deaths.push(error)
      resolve()
    }
    opening = openStoreThread({ store, warn: (message) => warnings.push(message), died }, worker)
  })
  return { opening, deaths, warnings, death }
}

/** Answers calls with this expression over `{ id, call }`. */
function answering(expression: string): string {
  return `parent.on('message', ({ id, call }) => parent.postMessage(${expression})); ${OPENED}`
}

describe('the thread of the store', () => {
  it('hands calls over and answers them, whatever their order', async () => {
    const thread = await openThread(answering(`{ kind: 'result', id, value: call.args?.[0] ?? call.request?.gridId }`))
      .opening
    const reader = thread.reader('a')
    expect(await Promise.all([reader.span('1'), thread.export(requestOf()), reader.span('2')])).toEqual([
      '1',
      GRID,
      '2',
    ])
    await thread.close()
  })

  it('takes the memory of a body, but not what the body shares with others', async () => {
    const thread = await openThread(answering(`{ kind: 'result', id, value: call.request?.body.length }`)).opening
    const alone = new Uint8Array([1, 2, 3])
    const shared = new Uint8Array([1, 2, 3, 4])
    expect(await thread.export(requestOf(alone))).toBe(3)
    expect(await thread.export(requestOf(shared.subarray(1)))).toBe(3)
    expect(alone.length).toBe(0)
    expect([...shared]).toEqual([1, 2, 3, 4])
    await thread.close()
  })

  it('takes the memory that was lent to a body, and lends it again once it was given back', async () => {
    const back = `parent.postMessage({ kind: 'memory', buffer: call.request.body.buffer }, [call.request.body.buffer])`
    const length = `parent.postMessage({ kind: 'result', id, value: call.request?.body.length })`
    const lines = `parent.on('message', ({ id, call }) => { ${length}; if (call.request) ${back} }); ${OPENED}`
    const thread = await openThread(lines).opening
    const body = thread.memory.take(100_000).fill(7)
    expect(await thread.export(requestOf(body))).toBe(100_000)
    expect(body.length).toBe(0)
    // Answers come in their order: what came before the next one is back.
    expect(await thread.export(requestOf())).toBe(1)
    expect(thread.memory.take(100_000)[0]).toBe(7)
    await thread.close()
  })

  it('says in the words of the store why it cannot be opened, and reports no death', async () => {
    const { opening, deaths } = openThread(
      `parent.postMessage({ kind: 'failure', id: 0, name: 'StoreUnusable', message: 'in use' }); parent.ref()`,
    )
    await expect(opening).rejects.toThrow(new StoreUnusable('in use'))
    expect(deaths).toEqual([])
  })

  it('rejects the opening where the thread ends before it is open', async () => {
    await expect(openThread(`throw new Error('no memory')`).opening).rejects.toThrow('no memory')
    await expect(openThread('process.exit(3)').opening).rejects.toThrow('code 3')
  })

  it('rejects what waits when the thread dies, reports the death once, and refuses every later call', async () => {
    const { opening, deaths, death } = openThread(`parent.on('message', () => { throw new Error('fatal') }); ${OPENED}`)
    const thread = await opening
    await expect(thread.export(requestOf())).rejects.toBeInstanceOf(StoreUnavailable)
    await death
    await expect(thread.reader('a').span('1')).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(thread.measure()).rejects.toBeInstanceOf(StoreUnavailable)
    await thread.close()
    expect(deaths.map((error) => error.message)).toEqual(['fatal'])
  })

  it('reports no death when it was closed, ends the thread also after a failure, and closes once', async () => {
    const failing = openThread(answering(`{ kind: 'failure', id, name: 'Error', message: 'cannot close' }`))
    const thread = await failing.opening
    const [first, second] = await Promise.allSettled([thread.close(), thread.close()])
    expect([first?.status, second?.status]).toEqual(['rejected', 'rejected'])
    await expect(thread.measure()).rejects.toBeInstanceOf(StoreUnavailable)
    expect(failing.deaths).toEqual([])
  })

  it('passes warnings on', async () => {
    const { opening, warnings } = openThread(
      `parent.postMessage({ kind: 'warning', message: 'careful' }); ${answering(`{ kind: 'result', id }`)}`,
    )
    await (await opening).close()
    expect(warnings).toEqual(['careful'])
  })
})
