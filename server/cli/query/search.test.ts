import { describe, expect, it } from 'vitest'
import { WrongUsage } from '../failure.ts'
import { searchBody } from './search.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 12)

describe('a search', () => {
  it('is about the last hour, up to now, unless told otherwise', () => {
    expect(searchBody({}, NOW_MS)).toEqual({
      rangeStart: '2026-01-02T11:00:00.000Z',
      rangeEnd: '2026-01-02T12:00:00.001Z',
    })
    expect(searchBody({ since: 60_000 }, NOW_MS).rangeStart).toBe('2026-01-02T11:59:00.000Z')
    expect(searchBody({ from: '2026-01-01', to: '2026-01-02' }, NOW_MS)).toEqual({
      rangeStart: '2026-01-01',
      rangeEnd: '2026-01-02',
    })
  })

  it('asks for what was given, and for nothing else', () => {
    const flags = {
      service: 'a',
      operation: 'b',
      minDuration: 0,
      maxDuration: 9,
      tag: { k: 'v' },
      page: 2,
      pageSize: 5,
    }
    expect(searchBody({ ...flags, status: 'ERROR' }, NOW_MS)).toMatchObject({
      serviceName: 'a',
      operationName: 'b',
      minDuration: 0,
      maxDuration: 9,
      status: 'ERROR',
      tags: { k: 'v' },
      page: 2,
      pageSize: 5,
    })
  })

  it('has a beginning where it has an end', () => {
    expect(() => searchBody({ to: '2026-01-02' }, NOW_MS)).toThrow(WrongUsage)
  })
})
