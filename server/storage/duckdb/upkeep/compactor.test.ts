import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inOneOrder } from '../../conformance/same-rows.ts'
import { spanColumnsOf } from '../../conformance/span-builder.ts'
import { MS_PER_HOUR, WHOLE_WINDOW, windowMs } from '../../conformance/test-time.ts'
import type { RequestKey } from '../../diagnostics-reader.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { Session } from '../engine/session.ts'
import { parseHourFileName } from '../layout.ts'
import { openDuckDbStore } from '../open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../options.ts'

const GRID = '11111111-1111-4111-8111-111111111111'
const ALL = { window: WHOLE_WINDOW, offset: 0, limit: 100 }

let folder: string
let store: DuckDbStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-compactor-'))
  store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: console.warn })
})

afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

async function sealInPieces(pieces: number): Promise<void> {
  for (let i = 1; i <= pieces; i++) {
    const service = i % 2 === 0 ? 'even' : 'odd'
    await store.writeSpans(GRID, spanColumnsOf([{ trace: String(i), id: String(i), service, atMs: i }]))
    await store.settle()
  }
}

async function hourFiles(): Promise<string[]> {
  const names = await readdir(join(folder, 'grids', GRID))
  return names.filter((name) => parseHourFileName(name) !== undefined)
}

describe('compacting', () => {
  it('rewrites a closed hour without changing any answer', async () => {
    await sealInPieces(3)
    const reader = store.reader(GRID)
    const before = [await reader.searchTraces(ALL), await reader.traceFilterOptions(10)]
    await store.compact(Date.now())
    expect(await hourFiles()).toEqual([expect.stringMatching(/-2\.duckdb$/)])
    expect([await reader.searchTraces(ALL), await reader.traceFilterOptions(10)]).toEqual(before)
  })

  it('answers by hours from their sums as it did from their minutes', async () => {
    const spans = Array.from({ length: 40 }, (_, i) => ({
      ...{ trace: String(i + 1), id: String(i + 1), kind: 'SERVER' as const, durationMs: i },
      ...{ service: i % 3 === 0 ? 'a' : 'b', atMs: i * 13 * 60_000 },
    }))
    for (const half of [spans.slice(0, 20), spans.slice(20)]) {
      await store.writeSpans(GRID, spanColumnsOf(half))
      await store.settle()
    }
    const ask = async (stepMinutes: number) => {
      const by: RequestKey[] = ['service', 'minute']
      const window = windowMs(0, 9 * MS_PER_HOUR)
      return inOneOrder(await store.reader(GRID).requests({ window, by, stepMinutes, latencies: true }))
    }
    const before = [await ask(60), await ask(120)]
    await store.compact(Date.now())
    expect([await ask(60), await ask(120)]).toEqual(before)
    expect(before.map((groups) => groups.length)).toEqual([18, 10])
  })

  it('takes late spans, and leaves out copies, after an hour was rewritten', async () => {
    await sealInPieces(2)
    await store.compact(Date.now())
    await store.writeSpans(GRID, spanColumnsOf([{ trace: '1', id: '1', service: 'odd', atMs: 1 }]))
    await store.writeSpans(GRID, spanColumnsOf([{ trace: '9', id: '9', service: 'late', atMs: 9 }]))
    await store.settle()
    const { items, totalCount } = await store.reader(GRID).searchTraces(ALL)
    expect(totalCount).toBe(3)
    expect(items.map((item) => item.serviceName)).toEqual(['late', 'even', 'odd'])
  })

  it('keeps the mark of a trace that turns out to continue in another hour meanwhile', async () => {
    await sealInPieces(2)
    const { run } = Session.prototype
    let isCopying = false
    const spy = vi.spyOn(Session.prototype, 'run').mockImplementation(async function (this: Session, sql, parameters) {
      if (/^INSERT INTO rewritten_\d+\.spans/.test(sql) && !isCopying) {
        isCopying = true
        await store.writeSpans(GRID, spanColumnsOf([{ trace: '1', id: '9', parent: '1', atMs: MS_PER_HOUR }]))
        await store.settle()
      }
      await run.call(this, sql, parameters)
    })
    await store.compact(Date.now())
    spy.mockRestore()
    expect(isCopying).toBe(true)
    await store.settle()
    expect((await store.reader(GRID).searchTraces(ALL)).totalCount).toBe(2)
    expect((await store.reader(GRID).searchTraces({ ...ALL, status: 'OK' })).totalCount).toBe(2)
  })

  it('leaves an hour alone that something was sealed into just now, where it is asked to', async () => {
    await sealInPieces(2)
    await store.compact(Date.now(), 60_000)
    expect(await hourFiles()).toEqual([expect.stringMatching(/-1\.duckdb$/)])
    await store.compact(Date.now() + 60_000, 60_000)
    expect(await hourFiles()).toEqual([expect.stringMatching(/-2\.duckdb$/)])
  })

  it('leaves an hour alone that is in one order, or not closed yet', async () => {
    await sealInPieces(1)
    await store.compact(Number(WHOLE_WINDOW.startNs / 1_000_000n))
    expect(await hourFiles()).toEqual([expect.stringMatching(/-1\.duckdb$/)])
    await store.compact(Date.now())
    await store.compact(Date.now())
    expect(await hourFiles()).toEqual([expect.stringMatching(/-2\.duckdb$/)])
  })
})
