import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NS_PER_HOUR } from '../../domain/time-window.ts'
import type { Records } from '../conformance/subject.ts'
import { atNs, MS_PER_HOUR, WHOLE_WINDOW } from '../conformance/test-time.ts'
import type { DuckDbStore } from './duckdb-store.ts'
import { observeActs, observeMoments } from './testing/moments.ts'
import { GRID, namesIn, namesOf, OTHER_GRID, TestStores, write } from './testing/test-store.ts'

const stores = new TestStores()
let restore: () => void

beforeEach(() => {
  restore = observeActs()
})

afterEach(async () => {
  observeMoments(undefined)
  restore()
  await stores.dispose()
})

/** What a store must hold at a moment, and what it may hold beside that, by Grid. */
interface Expected {
  must: Map<string, string[]>
  may: Map<string, string[]>
}

interface Copy {
  moment: string
  folder: string
  expected: Expected
}

/**
 * A store whose folder is copied at every moment at which a killed process would leave something of a new kind. Its records are told
 * apart by what was acknowledged then and what was only on its way, into the store or out of it.
 */
class DoomedStore {
  readonly copies: Copy[] = []
  private readonly folder: string
  private readonly root: string
  private readonly must = new Map<string, string[]>()
  private readonly may = new Map<string, string[]>()
  private readonly seen = new Set<string>()
  private readonly kinds = new Set<string>()

  constructor(folder: string) {
    this.root = folder
    this.folder = join(folder, 'live')
  }

  async open(): Promise<DuckDbStore> {
    return await stores.open(this.folder)
  }

  watch(): void {
    this.look('before anything')
    observeMoments((moment) => this.look(moment))
  }

  async write(store: DuckDbStore, gridId: string, records: Records): Promise<void> {
    this.move(gridId, namesOf(records), this.may)
    await write(store, gridId, records)
    this.move(gridId, namesOf(records), this.must)
  }

  async remove(gridId: string, batches: Records[], act: () => Promise<void>): Promise<void> {
    const names = batches.flatMap(namesOf)
    this.kinds.clear()
    this.move(gridId, names, this.may)
    await act()
    this.move(gridId, names, undefined)
  }

  private move(gridId: string, names: string[], to: Map<string, string[]> | undefined): void {
    for (const from of [this.must, this.may]) {
      const left = (from.get(gridId) ?? []).filter((name) => !names.includes(name))
      from.set(gridId, from === to ? [...left, ...names].sort() : left)
    }
  }

  private look(moment: string): void {
    const fingerprint = fingerprintOf(this.folder)
    if (fingerprint === undefined || this.seen.has(fingerprint)) return
    this.seen.add(fingerprint)
    if (this.isNew(moment)) this.copy(moment)
  }

  /** Files come and go alike, whatever their numbers are, and a checkpoint leaves what is seen when the next thing has begun. */
  private isNew(moment: string): boolean {
    if (moment.startsWith('after CHECKPOINT')) return false
    const kind = moment.replaceAll(/\d/g, '')
    const isKnown = this.kinds.has(kind)
    this.kinds.add(kind)
    return !isKnown || /^after (COMMIT|DELETE)/.test(moment)
  }

  private copy(moment: string): void {
    const folder = join(this.root, `copy-${this.copies.length}`)
    cpSync(this.folder, folder, { recursive: true })
    this.copies.push({ moment, folder, expected: { must: new Map(this.must), may: new Map(this.may) } })
  }
}

/** Of what a new process looks at. Undefined where a file vanished meanwhile: something else is at work at this moment, and others will be looked at. */
function fingerprintOf(folder: string): string | undefined {
  const hash = createHash('sha256')
  try {
    for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort())
      if (/\.(duckdb|wal|json)$/.test(name) && !name.startsWith('temporary'))
        hash.update(name).update(readFileSync(join(folder, name)))
  } catch {
    return undefined
  }
  return hash.digest('hex')
}

async function expectWhole(store: DuckDbStore, { must, may }: Expected, moment: string): Promise<void> {
  for (const gridId of must.keys()) {
    const names = await namesIn(store, gridId)
    const optional = new Set(may.get(gridId))
    expect(new Set(names).size, `${moment}: each once`).toBe(names.length)
    expect(
      names.filter((name) => !optional.has(name)),
      moment,
    ).toEqual(must.get(gridId) ?? [])
    await expectRolledPoints(store, gridId, moment)
    const counts = await store.reader(gridId).serviceSpans(WHOLE_WINDOW)
    const spans = names.filter((name) => name.startsWith('span ')).length
    expect(
      counts.reduce((sum, { spanCount }) => sum + spanCount, 0),
      `${moment}: spans counted`,
    ).toBe(spans)
  }
}

/** What points are rolled up into agrees with the points. */
async function expectRolledPoints(store: DuckDbStore, gridId: string, moment: string): Promise<void> {
  const [name, reader] = ['queue.length', store.reader(gridId)]
  const question = { name, window: WHOLE_WINDOW, stepMinutes: 60, filter: {}, groupBy: '' }
  const steps = await reader.metricSteps({ ...question, reading: { of: 'numbers', as: 'greatest' } })
  const greatest = new Map<bigint, number>()
  for (const { timeNs, value } of await reader.metricPoints(name, WHOLE_WINDOW, 1000)) {
    const hourNs = timeNs - (timeNs % NS_PER_HOUR)
    greatest.set(hourNs, Math.max(greatest.get(hourNs) ?? 0, Number(value)))
  }
  expect(new Map(steps.map(({ stepNs, value }) => [stepNs, value])), `${moment}: rolled up`).toEqual(greatest)
}

/** What a process finds that is started after the kill, also once it has settled, and also when everything is sent again. */
async function expectRecovery({ folder, moment, expected }: Copy, sentAgain: Records[]): Promise<void> {
  // Counts come from files, of days where hours are rolled up, and not from memory.
  const store = await stores.open(folder, { keptSumsBytes: 0 })
  const { unsealedRows } = await store.measure()
  await expectWhole(store, expected, moment)
  const kept = [expected.must, expected.may].flatMap((names) => names.get(GRID) ?? [])
  const again = sentAgain.filter((records) => namesOf(records).every((name) => kept.includes(name)))
  for (const records of again) await write(store, GRID, records)
  const settled = await store.settle().catch((error: Error) => error.message)
  expect([settled, ...stores.warnings], `${moment}, settled`).toEqual([undefined])
  if (unsealedRows + again.length > 0) await expectWhole(store, expected, `${moment}, settled`)
  await store.close()
}

const RECOVERIES_AT_ONCE = 4

async function expectRecoveries({ copies }: DoomedStore, sentAgain: Records[]): Promise<void> {
  const left = [...copies]
  const worker = async () => {
    for (let copy = left.pop(); copy; copy = left.pop()) await expectRecovery(copy, sentAgain)
  }
  await Promise.all(Array.from({ length: RECOVERIES_AT_ONCE }, worker))
}

const FIRST_HOUR: Records = {
  spans: [{ trace: 'a', id: '1', atMs: 0 }],
  logs: [{ id: '1', body: 'first', atMs: 0 }],
  points: [{ value: 1, atMs: 0 }],
}
const SECOND_HOUR: Records = {
  spans: [
    { trace: 'a', id: '2', parent: '1', atMs: MS_PER_HOUR },
    { trace: 'b', id: '3', atMs: MS_PER_HOUR },
  ],
}
const FIRST: Records = { ...FIRST_HOUR, spans: [FIRST_HOUR, SECOND_HOUR].flatMap(({ spans = [] }) => spans) }
const LATE: Records = { spans: [{ trace: 'a', id: '4', parent: '1', atMs: 5 }], logs: [{ id: '2', body: 'late' }] }
const LATER: Records = { points: [{ value: 2, atMs: 10 }], spans: [{ trace: 'c', id: '5', atMs: 10 }] }
const FOREIGN: Records = { spans: [{ trace: 'a', id: '1', atMs: 0 }] }

describe('a process that is killed', () => {
  it('loses nothing acknowledged and doubles nothing while it opens, commits, and seals what it wrote and an earlier one', async () => {
    const doomed = new DoomedStore(await stores.newFolder())
    doomed.watch()
    const first = await doomed.open()
    await doomed.write(first, GRID, FIRST)
    await first.close()
    const store = await doomed.open()
    await store.settle()
    await doomed.write(store, OTHER_GRID, FOREIGN)
    await doomed.write(store, GRID, LATE)
    await store.settle()
    observeMoments(undefined)
    expect(doomed.copies.length).toBeGreaterThan(14)
    await expectRecoveries(doomed, [FIRST])
    expect(await namesIn(store, GRID)).toEqual([...namesOf(FIRST), ...namesOf(LATE)].sort())
    expect(stores.warnings).toEqual([])
  })

  it('answers from all records while it rewrites and rolls up an hour, seals late ones into it, and removes it', async () => {
    const doomed = new DoomedStore(await stores.newFolder())
    const store = await doomed.open()
    for (const records of [FIRST, LATE]) {
      await doomed.write(store, GRID, records)
      await store.settle()
    }
    doomed.watch()
    await store.compact(Date.now())
    await doomed.write(store, GRID, LATER)
    await store.settle()
    await store.compact(Date.now())
    await doomed.remove(GRID, [FIRST_HOUR, LATE, LATER], () =>
      store.expire([{ gridId: GRID, oldestNs: atNs(MS_PER_HOUR), oldestSumsNs: atNs(MS_PER_HOUR) }]),
    )
    await doomed.remove(GRID, [SECOND_HOUR], () => store.dropGrid(GRID))
    await store.close()
    observeMoments(undefined)
    expect(doomed.copies.length).toBeGreaterThan(24)
    await expectRecoveries(doomed, [])
    expect(stores.warnings).toEqual([])
  })
})
