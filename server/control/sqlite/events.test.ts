import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { type GridEvent, PROVISIONAL_MS } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000
const ALL_TIME = { startMs: 0, endMs: NOW_MS * 2 }

let control: ControlStoreWithAuthority
let gridId: string

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
})
afterEach(() => control.close())

function event(key: string, facts: Partial<GridEvent> = {}): GridEvent {
  return {
    key,
    atMs: NOW_MS,
    type: 'deployment',
    severity: 'info',
    serviceName: 'cart',
    description: 'deployed version 2',
    details: { previousVersion: '1', currentVersion: '2' },
    ...facts,
  }
}

const found = (key: string, facts: Partial<GridEvent> = {}) => ({ ...event(key, facts), source: 'hour 1' })
const listed = async () => (await control.events.list(gridId, ALL_TIME)).map(({ key, atMs }) => [key, atMs])

describe('events', () => {
  it('are listed whole, ascending by time', async () => {
    const later = event('b', { atMs: NOW_MS + 1, type: 'alert', severity: 'critical', serviceName: '', details: {} })
    await control.events.record(gridId, [later, event('a')], NOW_MS)
    expect(await control.events.list(gridId, ALL_TIME)).toEqual([event('a'), later])
  })

  it('are listed from the start of a range up to, and without, its end', async () => {
    const events = [1, 2, 3].map((second) => event(`at ${second}`, { atMs: second * 1000 }))
    await control.events.record(gridId, events, NOW_MS)
    const inRange = await control.events.list(gridId, { startMs: 1000, endMs: 3000 })
    expect(inRange.map(({ key }) => key)).toEqual(['at 1', 'at 2'])
  })

  it('stay as they were recorded first', async () => {
    await control.events.record(gridId, [event('a')], NOW_MS)
    await control.events.record(gridId, [event('a', { description: 'otherwise' }), event('b')], NOW_MS)
    expect(await control.events.list(gridId, ALL_TIME)).toEqual([event('a'), event('b')])
  })

  it('belong to one Grid, and the same key is free in another', async () => {
    const other = (await control.grids.create({ name: 'Other' })).id
    await control.events.record(gridId, [event('a')], NOW_MS)
    expect(await control.events.list(other, ALL_TIME)).toEqual([])
    await control.events.record(other, [event('a', { serviceName: 'theirs' })], NOW_MS)
    expect(await control.events.list(gridId, ALL_TIME)).toEqual([event('a')])
  })

  it('are kept in any number at once', async () => {
    const many = Array.from({ length: 1_234 }, (_, index) => event(`event ${index}`))
    await control.events.record(gridId, many, NOW_MS)
    expect(await control.events.list(gridId, ALL_TIME)).toHaveLength(1_234)
  })

  it('are refused for a Grid that does not exist and for a type that does not exist', async () => {
    const gone = '00000000-0000-4000-8000-000000000000'
    await expect(control.events.record(gone, [event('a')], NOW_MS)).rejects.toThrow(RecordRefused)
    const odd = event('a', { type: 'party' as 'alert' })
    await expect(control.events.record(gridId, [event('b'), odd], NOW_MS)).rejects.toThrow(RecordRefused)
    expect(await listed()).toEqual([])
  })

  it('go when they are too old', async () => {
    await control.events.record(gridId, [event('old', { atMs: 1000 }), event('new')], NOW_MS)
    await control.events.expire(gridId, 1001)
    expect(await listed()).toEqual([['new', NOW_MS]])
  })
})

describe('a revision', () => {
  const provisionalMs = NOW_MS + PROVISIONAL_MS - 1
  const settledMs = NOW_MS + PROVISIONAL_MS

  it('adds, alters and withdraws while events are provisional', async () => {
    await control.events.revise(gridId, { put: [found('a'), found('b')], withdraw: [] }, NOW_MS)
    const revision = { put: [found('b', { atMs: 5 }), found('c')], withdraw: ['a'] }
    await control.events.revise(gridId, revision, provisionalMs)
    expect(await listed()).toEqual([
      ['b', 5],
      ['c', NOW_MS],
    ])
  })

  it('leaves settled events alone and adds others', async () => {
    await control.events.revise(gridId, { put: [found('a'), found('b')], withdraw: [] }, NOW_MS)
    const revision = { put: [found('b', { atMs: 5 }), found('c')], withdraw: ['a'] }
    await control.events.revise(gridId, revision, settledMs)
    expect(await listed()).toEqual([
      ['a', NOW_MS],
      ['b', NOW_MS],
      ['c', NOW_MS],
    ])
  })

  it('does not make an event younger', async () => {
    await control.events.revise(gridId, { put: [found('a')], withdraw: [] }, NOW_MS)
    await control.events.revise(gridId, { put: [found('a', { atMs: 5 })], withdraw: [] }, provisionalMs)
    await control.events.revise(gridId, { put: [found('a', { atMs: 6 })], withdraw: [] }, settledMs)
    expect(await listed()).toEqual([['a', 5]])
  })

  it('finds what is recorded by time and by source', async () => {
    await control.events.record(gridId, [event('alert')], NOW_MS)
    await control.events.revise(gridId, { put: [found('a', { atMs: 5 })], withdraw: [] }, NOW_MS)
    const bySource = await control.events.recorded(gridId, { sources: ['hour 1'], startMs: 0, endMs: 0 })
    expect(bySource).toEqual([{ ...found('a', { atMs: 5 }), recordedAtMs: NOW_MS }])
    const byTime = await control.events.recorded(gridId, { sources: [], startMs: NOW_MS, endMs: NOW_MS + 1 })
    expect(byTime).toEqual([{ ...event('alert'), source: '', recordedAtMs: NOW_MS }])
    const both = await control.events.recorded(gridId, { sources: ['hour 1'], startMs: 0, endMs: NOW_MS + 1 })
    expect(both.map(({ key }) => key)).toEqual(['a', 'alert'])
  })
})
