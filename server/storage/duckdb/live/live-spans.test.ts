import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_APDEX } from '../../../domain/apdex.ts'
import { type SpanLiteral, spanColumnsOf } from '../../conformance/span-builder.ts'
import { BASE_NS } from '../../conformance/test-time.ts'
import { Database } from '../engine/database.ts'
import type { Session } from '../engine/session.ts'
import { OpenFile } from '../files/open-file.ts'
import { hourOf, type Layout, openLayout } from '../layout.ts'
import { GRID, TestStores } from '../testing/test-store.ts'
import { addLiveRow } from './live-rows.ts'
import { LiveSpans } from './live-spans.ts'

/** As soon as there are so many, those that nobody uses are looked for. */
const TEXTS = 100_000
const ORIGINS = 20_000

const stores = new TestStores()
let layout: Layout
let database: Database
let session: Session
let live: LiveSpans
let files: number

beforeEach(async () => {
  layout = await openLayout(await stores.newFolder())
  const limits = { memoryLimitBytes: 100_000_000, threads: 1, queryTimeoutMs: 10_000 }
  database = await Database.open({ ...limits, temporaryFolder: layout.temporaryFolder })
  session = await database.connect()
  live = new LiveSpans(() => DEFAULT_APDEX, 0)
  files = 0
})

afterEach(async () => {
  await database.close()
  await stores.dispose()
})

/** Commits a span as the first of a new open file, which is when unused numbers are taken back. */
async function beginFile(): Promise<void> {
  const file = await OpenFile.create(session, layout, ++files)
  const span = { trace: `${files}`, id: `${files}`, operation: `operation of ${files}` }
  const origin = { id: originNumber(`origin of ${files}`), service: live.texts.ofText(`service of ${files}`) }
  addLiveRow(live, live.grid(GRID), hourOf(BASE_NS), origin, spanColumnsOf([span]), 0)
  live.confirm(1, file)
}

function originNumber(hex: string): number {
  return live.origins.of(hex, { serviceName: '', resourceJson: '{}', scopeName: '', scopeVersion: '' })
}

const names = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${kind} ${i}`)
const numberTexts = (kind: string, count: number) => names(kind, count).map((text) => live.texts.ofText(text))
const numberOrigins = (kind: string, count: number) => names(kind, count).map(originNumber)

describe('numbers of texts and origins', () => {
  it('stay while somebody holds them, and are given to others after', async () => {
    const releases = [live.hold(), live.hold()]
    const texts = numberTexts('text', TEXTS)
    const origins = numberOrigins('origin', ORIGINS)
    for (const release of releases) {
      await beginFile()
      expect(numberTexts('text', 100)).toEqual(texts.slice(0, 100))
      expect(numberOrigins('origin', 100)).toEqual(origins.slice(0, 100))
      release()
    }
    await beginFile()
    expect(texts).toContain(live.texts.ofText('new'))
    expect(origins).toContain(originNumber('new'))
  })

  it('stay while a span in memory or a link that waits has them', async () => {
    await beginFile()
    live.sealed.loadLink(1, 2, live.texts.ofText('consumer'))
    const used = ['operation of 1', 'service of 1', 'consumer']
    const numbers = used.map((text) => live.texts.ofText(text))
    const origin = originNumber('origin of 1')
    const texts = numberTexts('text', TEXTS)
    const origins = numberOrigins('origin', ORIGINS)
    await beginFile()
    expect(texts).toContain(live.texts.ofText('new'))
    expect(origins).toContain(originNumber('new'))
    expect(used.map((text) => live.texts.ofText(text))).toEqual(numbers)
    expect(originNumber('origin of 1')).toBe(origin)
  })
})

describe('spans in memory', () => {
  const PER_FILE = 5_000

  async function fillFile(spans: SpanLiteral[]): Promise<number> {
    const file = await OpenFile.create(session, layout, ++files)
    const origin = { id: originNumber('origin'), service: live.texts.ofText(`service of ${files}`) }
    const columns = spanColumnsOf(spans)
    for (let row = 0; row < spans.length; row++)
      addLiveRow(live, live.grid(GRID), hourOf(BASE_NS), origin, columns, row)
    live.confirm(spans.length, file)
    return files
  }

  const strangers = () =>
    Array.from({ length: PER_FILE }, (_, i) => ({ trace: `${files}b${i}`, id: `${files}b${i}`, operation: 'any' }))

  it('are let go as files are sealed, though there is always one that is not', async () => {
    for (let i = 0; i < 20; i++) {
      const number = await fillFile(strangers())
      live.dropFile(number - 1)
    }
    expect(live.size).toBeLessThan(PER_FILE * 4)
  })

  it('stay while a file is not sealed that taught something about them', async () => {
    const call = { trace: 'a', id: 'a1', operation: 'call', kind: 'CLIENT' } as const
    const told = await fillFile([call, ...strangers()])
    const answer = { trace: 'a', id: 'a2', parent: 'a1', operation: 'answer', kind: 'SERVER' } as const
    const teller = await fillFile([answer])
    live.dropFile(told)
    for (let i = 0; i < 5; i++) live.dropFile(await fillFile(strangers()))
    expect(live.size).toBeGreaterThan(PER_FILE * 6)
    live.dropFile(teller)
    for (let i = 0; i < 2; i++) live.dropFile(await fillFile(strangers()))
    expect(live.size).toBeLessThan(PER_FILE * 4)
  })
})
