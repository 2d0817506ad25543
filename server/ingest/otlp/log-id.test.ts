import { expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { encode } from './conformance/otlp-messages.ts'
import { logRows } from './conformance/rows.ts'
import type { LogRecord, Resource, Scope } from './conformance/shapes.ts'
import { attribute, LIMITS, NOW_NS, service } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'

const columns = new LogColumns()

const RECORD: LogRecord = {
  timeUnixNano: String(NOW_NS),
  observedTimeUnixNano: String(NOW_NS + 1n),
  severityNumber: 9,
  severityText: 'INFO',
  body: { stringValue: 'hello' },
  attributes: [attribute('k', 'v')],
  traceId: new Uint8Array(16).fill(1),
  spanId: new Uint8Array(8).fill(2),
  flags: 1,
  eventName: 'e',
}

function idsOf(records: LogRecord[], resource: Resource = {}, scope: Scope = {}, nowNs = NOW_NS): string[] {
  const request = { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: records }] }] }
  decodeLogs(encode('ExportLogsServiceRequest', request), { ...LIMITS, nowNs }, columns)
  return logRows(columns).map(({ id }) => id)
}

test('equal records have equal ids, whatever else is in their batch', () => {
  const [alone] = idsOf([RECORD])
  const ids = idsOf([{ body: { stringValue: 'other' } }, RECORD, {}, RECORD])
  expect(ids[1]).toBe(alone)
  expect(ids[3]).toBe(alone)
  expect(new Set(ids).size).toBe(3)
})

test('whatever differs between two records makes their ids differ', () => {
  const others: LogRecord[] = [
    { timeUnixNano: String(NOW_NS + 1n) },
    { timeUnixNano: String(NOW_NS + (1n << 32n)) },
    { observedTimeUnixNano: String(NOW_NS) },
    { severityNumber: 10 },
    { severityText: 'info' },
    { body: { stringValue: 'hello!' } },
    { body: { stringValue: '' } },
    { body: {} },
    { attributes: [attribute('k', 'w')] },
    { attributes: [] },
    { traceId: new Uint8Array(16).fill(3) },
    { spanId: new Uint8Array(8).fill(3) },
    { flags: 0 },
    { eventName: 'f' },
    { droppedAttributesCount: 1 },
  ]
  const ids = [RECORD, ...others.map((other) => ({ ...RECORD, ...other }))].flatMap((record) => idsOf([record]))
  ids.push(...idsOf([RECORD], { attributes: [service('shop')] }))
  ids.push(...idsOf([RECORD], {}, { name: 'a' }))
  ids.push(...idsOf([RECORD], {}, { version: 'a' }))
  expect(new Set(ids).size).toBe(ids.length)
})

test('a text that moves from one field to the next makes another id', () => {
  const pairs: LogRecord[] = [
    { severityText: 'ab', eventName: '' },
    { severityText: 'a', eventName: 'b' },
    { severityText: '', eventName: 'ab' },
    { body: { stringValue: 'ab' } },
  ]
  expect(new Set(idsOf(pairs)).size).toBe(pairs.length)
})

test('a text that looks like a list is not that list', () => {
  const list = { arrayValue: { values: [{ intValue: '1' }] } }
  expect(new Set(idsOf([{ body: { stringValue: '[1]' } }, { body: list }])).size).toBe(2)
})

test('a record without any time has the same id when it is sent again later', () => {
  const record = { body: { stringValue: 'no time' } }
  expect(idsOf([record], {}, {}, NOW_NS)).toEqual(idsOf([record], {}, {}, NOW_NS + 5_000_000_000n))
})
