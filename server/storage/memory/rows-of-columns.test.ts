import { describe, expect, it } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
import { logsOf, spansOf } from './rows-of-columns.ts'

/** Filled byte by byte, without the builders that the other tests use. */
function push(column: TextColumn, text: string): void {
  const bytes = new TextEncoder().encode(text)
  column.pushBytes(bytes, 0, bytes.length)
}

function twoSpans(): SpanColumns {
  const columns = new SpanColumns()
  columns.origins = [
    { serviceName: 'a', resourceJson: '{"service.name":"a"}', scopeName: '', scopeVersion: '' },
    { serviceName: 'b', resourceJson: '{"service.name":"b","pid":7}', scopeName: 'http', scopeVersion: '1.0' },
  ]
  for (let index = 0; index < 16; index++) columns.traceIds[16 + index] = 0xf0 + index
  for (let index = 0; index < 8; index++) columns.spanIds[8 + index] = 0x10 * index + 1
  columns.parentIds[15] = 0xff
  columns.traceIds[15] = 1
  columns.spanIds[7] = 2
  columns.startNs.set([5n, 1_700_000_000_123_456_789n])
  columns.durationNs.set([0n, 1_500_000n])
  columns.kinds.set([0, 2])
  columns.statuses.set([1, 2])
  columns.flags.set([0, 257])
  columns.droppedAttributes.set([0, 3])
  columns.originIndexes.set([0, 1])
  for (const text of ['', 'GET /é']) push(columns.operations, text)
  for (const text of ['', 'boom']) push(columns.statusMessages, text)
  for (const text of ['', 'k=v']) push(columns.traceStates, text)
  for (const text of ['', '{"a":1,"b":[true,null]}']) push(columns.attributes, text)
  push(columns.events, '')
  push(columns.events, '[{"name":"exception","timeUnixNano":"1700000000123456790","attributes":{"x":"y"}}]')
  push(columns.links, '')
  push(columns.links, `[{"traceId":"${'0'.repeat(31)}1","spanId":"${'0'.repeat(15)}2","attributes":{}}]`)
  columns.length = 2
  return columns
}

describe('turning columns into rows', () => {
  it('reads a span that says almost nothing', () => {
    expect(spansOf(twoSpans())[0]).toEqual({
      traceId: '00000000000000000000000000000001',
      spanId: '0000000000000002',
      parentSpanId: '',
      serviceName: 'a',
      operationName: '',
      kind: 'INTERNAL',
      status: 'OK',
      startNs: 5n,
      durationNs: 0n,
      statusMessage: '',
      traceState: '',
      flags: 0,
      droppedAttributes: 0,
      attributes: {},
      events: [],
      links: [],
      resource: { 'service.name': 'a' },
      scopeName: '',
      scopeVersion: '',
    })
  })

  it('reads every field of a span', () => {
    expect(spansOf(twoSpans())[1]).toEqual({
      traceId: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff',
      spanId: '0111213141516171',
      parentSpanId: '00000000000000ff',
      serviceName: 'b',
      operationName: 'GET /é',
      kind: 'SERVER',
      status: 'ERROR',
      startNs: 1_700_000_000_123_456_789n,
      durationNs: 1_500_000n,
      statusMessage: 'boom',
      traceState: 'k=v',
      flags: 257,
      droppedAttributes: 3,
      attributes: { a: 1, b: [true, null] },
      events: [{ name: 'exception', timeNs: 1_700_000_000_123_456_790n, attributes: { x: 'y' } }],
      links: [{ traceId: '00000000000000000000000000000001', spanId: '0000000000000002', attributes: {} }],
      resource: { 'service.name': 'b', pid: 7 },
      scopeName: 'http',
      scopeVersion: '1.0',
    })
  })

  it('reads no rows beyond the length', () => {
    const columns = twoSpans()
    columns.truncate(1)
    expect(spansOf(columns)).toHaveLength(1)
    columns.clear()
    expect(spansOf(columns)).toEqual([])
  })

  it('reads every field of a log record', () => {
    const columns = new LogColumns()
    columns.origins = [{ serviceName: 'a', resourceJson: '{}', scopeName: 's', scopeVersion: '2' }]
    columns.ids.fill(0xab, 0, 16)
    columns.traceIds.fill(0xcd, 0, 16)
    columns.spanIds.fill(0xef, 0, 8)
    columns.timeNs[0] = 10n
    columns.observedNs[0] = 20n
    columns.severityNumbers[0] = 17
    columns.flags[0] = 1
    columns.droppedAttributes[0] = 4
    push(columns.severityTexts, 'ERROR')
    push(columns.bodies, 'it broke')
    push(columns.eventNames, 'breakage')
    push(columns.attributes, '{"n":1.5}')
    columns.length = 1
    expect(logsOf(columns)).toEqual([
      {
        id: 'ab'.repeat(16),
        template: '',
        timeNs: 10n,
        observedNs: 20n,
        severityNumber: 17,
        severityText: 'ERROR',
        body: 'it broke',
        eventName: 'breakage',
        traceId: 'cd'.repeat(16),
        spanId: 'ef'.repeat(8),
        flags: 1,
        serviceName: 'a',
        droppedAttributes: 4,
        attributes: { n: 1.5 },
        resource: {},
        scopeName: 's',
        scopeVersion: '2',
      },
    ])
    columns.traceIds.fill(0)
    columns.spanIds.fill(0)
    expect(logsOf(columns)[0]).toMatchObject({ traceId: '', spanId: '' })
  })
})
