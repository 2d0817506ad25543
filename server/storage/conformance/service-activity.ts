import { expect } from 'vitest'
import type { Attributes } from '../../domain/attributes.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { ResourceActivity } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { atNs, BASE_NS, DAY_WINDOW, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

type ActivityOf = Omit<ResourceActivity, 'resourceIndex'> & { resource: Attributes | undefined }

/** With the resources in place of their indexes, by time and then by `host.name`. */
async function activityIn(reader: TelemetryReader, window: TimeWindow = DAY_WINDOW): Promise<ActivityOf[]> {
  const { resources, rows } = await reader.resourceActivity(window)
  expect(rows.map((row) => row.minuteNs)).toEqual(rows.map((row) => row.minuteNs).toSorted((a, b) => (a < b ? -1 : 1)))
  expect(new Set(rows.map((row) => row.resourceIndex)).size).toBe(resources.length)
  const told = rows.map(({ resourceIndex, ...row }) => ({ ...row, resource: resources[resourceIndex] }))
  const keyOf = ({ minuteNs, resource }: ActivityOf) => `${minuteNs} ${resource?.['host.name']}`
  return told.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

export function describeServiceActivity(backend: Backend): void {
  describeWithStore('telling who was active', backend, (subject) => {
    const answers = answersWherever(subject)

    const kinds: SpanLiteral[] = (['SERVER', 'SERVER', 'CONSUMER', 'CLIENT', 'PRODUCER', 'INTERNAL'] as const).map(
      (kind, index) => ({ id: `${index + 1}`, parent: '1', kind, startNs: BASE_NS + BigInt(index) }),
    )
    const services = [...kinds, { id: 'a', service: 'other', atMs: 5 * MS_PER_HOUR }]
    answers('counts all spans of each service by kind', { spans: services }, async (reader) => {
      const counts = async (window: TimeWindow) =>
        (await reader.serviceSpans(window)).map((row) => `${row.serviceName} ${row.kind} ${row.spanCount}`).toSorted()
      const shop = ['shop CLIENT 1', 'shop CONSUMER 1', 'shop INTERNAL 1', 'shop PRODUCER 1', 'shop SERVER 2']
      expect(await counts(WHOLE_WINDOW)).toEqual(['other INTERNAL 1', ...shop])
      expect(await counts({ startNs: BASE_NS + 1n, endNs: BASE_NS + 3n })).toEqual(['shop CONSUMER 1', 'shop SERVER 1'])
      expect(await counts(windowMs(MS_PER_HOUR, 2 * MS_PER_HOUR))).toEqual([])
    })

    const one = { 'host.name': 'a' }
    const two = { 'host.name': 'b', version: '2' }
    const instances: SpanLiteral[] = [
      { id: '1', kind: 'SERVER', resource: one, durationMs: 5, status: 'ERROR' },
      { id: '2', parent: '1', kind: 'SERVER', resource: one, durationMs: 7, status: 'ERROR' },
      { id: '3', parent: '1', resource: one, status: 'ERROR', atMs: 59_999 },
      { id: '4', kind: 'SERVER', resource: two, durationNs: 9_007_199_254_740_993n },
      { id: '5', kind: 'SERVER', resource: two, durationMs: 3, scopeName: 'other' },
      { id: '6', resource: one, atMs: 60_000 },
    ]
    answers('sums spans and requests of each resource and minute', { spans: instances }, async (reader) => {
      const ofOne = { serviceName: 'shop', resource: { 'service.name': 'shop', ...one } }
      const ofTwo = { serviceName: 'shop', resource: { 'service.name': 'shop', ...two } }
      const none = { requestCount: 0, errorCount: 0, durationNsSum: 0n }
      expect(await activityIn(reader)).toEqual([
        { ...ofOne, minuteNs: atNs(0), spanCount: 3, requestCount: 1, errorCount: 1, durationNsSum: 5_000_000n },
        {
          ...ofTwo,
          minuteNs: atNs(0),
          spanCount: 2,
          requestCount: 2,
          errorCount: 0,
          durationNsSum: 9_007_199_257_740_993n,
        },
        { ...ofOne, minuteNs: atNs(60_000), spanCount: 1, ...none },
      ])
    })

    answers('takes what starts in a ragged window', { spans: instances }, async (reader) => {
      const spanCounts = async (window: TimeWindow) => (await activityIn(reader, window)).map((row) => row.spanCount)
      expect(await spanCounts(windowMs(0.000001, 60_000))).toEqual([1])
      expect(await spanCounts(windowMs(0, 60_000))).toEqual([3, 2])
      expect(await spanCounts(windowMs(59_999, 60_000.000001))).toEqual([1, 1])
      expect(await reader.resourceActivity(windowMs(1, 1))).toEqual({ resources: [], rows: [] })
    })

    const alike: SpanLiteral[] = [
      { id: '1', resource: { 'host.name': 'a', zone: { b: 1, a: ['x', true, null] }, n: 1 } },
      { id: '2', resource: { n: 1, zone: { b: 1, a: ['x', true, null] }, 'host.name': 'a' } },
      { id: '3', resource: { 'host.name': 'a', zone: { b: 1, a: ['x', true, null] }, n: '1' } },
      { id: '4', resource: { 'host.name': 'a', zone: { b: 1, a: [true, 'x', null] }, n: 1 } },
      { id: '5', resource: {} },
    ]
    answers('knows a resource by all of its attributes, in whatever order', { spans: alike }, async (reader) => {
      const rows = await activityIn(reader)
      expect(rows.map((row) => row.spanCount).toSorted()).toEqual([1, 1, 1, 2])
      expect(rows.find((row) => row.spanCount === 2)?.resource).toEqual({
        'service.name': 'shop',
        'host.name': 'a',
        zone: { b: 1, a: ['x', true, null] },
        n: 1,
      })
    })

    const hours: SpanLiteral[] = [0, 1, 2, 1].map((hour, index) => {
      return { id: `${index + 1}`, service: `s${index % 2}`, resource: one, atMs: hour * MS_PER_HOUR + index }
    })
    answers('tells services apart, over hours', { spans: hours }, async (reader) => {
      const rows = await activityIn(reader)
      const told = rows.map(
        (row) => `${row.serviceName} ${(row.minuteNs - BASE_NS) / 60_000_000_000n} ${row.spanCount}`,
      )
      expect(told).toEqual(['s0 0 1', 's1 60 2', 's0 120 1'])
      const requests = rows.map((row) => row.requestCount)
      expect(requests).toEqual([1, 2, 1])
    })
  })
}
