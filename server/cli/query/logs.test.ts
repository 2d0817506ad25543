import { describe, expect, it } from 'vitest'
import { logsBody } from './logs.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 12)

describe('a search of logs', () => {
  it('is about the last hour, up to now, unless told otherwise', () => {
    expect(logsBody([], {}, NOW_MS)).toEqual({
      rangeStart: '2026-01-02T11:00:00.000Z',
      rangeEnd: '2026-01-02T12:00:00.001Z',
    })
  })

  it('asks for what was given, and for nothing else', () => {
    const flags = { service: 'a', trace: 'b', span: 'c', attribute: { k: 'v' }, page: 2, pageSize: 5 }
    expect(logsBody(['timed', 'out'], { ...flags, severity: 'Error' }, NOW_MS)).toMatchObject({
      body: 'timed out',
      severityLevel: 'Error',
      serviceName: 'a',
      traceId: 'b',
      spanId: 'c',
      attributes: { k: 'v' },
      page: 2,
      pageSize: 5,
    })
  })
})
