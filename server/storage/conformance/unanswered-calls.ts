import { expect } from 'vitest'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, DAY_WINDOW, MS_PER_HOUR, windowMs } from './test-time.ts'

const DAY_MS = 24 * MS_PER_HOUR

/** A failed call of the shop to `pay`. */
const CALL: SpanLiteral = { service: 'shop', kind: 'CLIENT', status: 'ERROR', attributes: { 'peer.service': 'pay' } }
/** Makes `pay` a service that is known. */
const PAY: SpanLiteral = { trace: 'ff', id: 'ff', service: 'pay', kind: 'SERVER' }

async function expectUnanswered(
  reader: TelemetryReader,
  counts: Record<string, number>,
  window: TimeWindow = DAY_WINDOW,
): Promise<void> {
  const calls = await reader.unansweredCalls(window)
  expect(Object.fromEntries(calls.map((call) => [call.serviceName, call.failedCount]))).toEqual(counts)
  expect(calls).toHaveLength(Object.keys(counts).length)
}

export function describeUnansweredCalls(backend: Backend): void {
  describeWithStore('finding calls that nobody answered', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('finds none where there are no spans', {}, async (reader) => {
      await expectUnanswered(reader, {})
    })

    const calls: SpanLiteral[] = [
      { ...CALL, trace: '1' },
      { ...CALL, trace: '2', kind: 'PRODUCER' },
      { ...CALL, trace: '3', attributes: { 'server.address': 'pay' } },
      { ...CALL, trace: '4', attributes: { 'peer.service': 'pay', 'server.address': '10.0.0.1' } },
      { ...CALL, trace: '5', service: 'pay', attributes: { 'peer.service': 'shop' } },
      PAY,
    ]
    answers('counts failed calls by the service that they name', { spans: calls }, async (reader) => {
      await expectUnanswered(reader, { pay: 4, shop: 1 })
    })

    const others: SpanLiteral[] = [
      { ...CALL, trace: '1', status: 'OK' },
      { ...CALL, trace: '2', kind: 'INTERNAL' },
      { ...CALL, trace: '3', kind: 'SERVER' },
      { ...CALL, trace: '4', service: 'pay' },
      { ...CALL, trace: '5', attributes: { 'peer.service': 'stranger' } },
      { ...CALL, trace: '6', attributes: {} },
      { ...CALL, trace: '7', attributes: { 'peer.service': 'Pay' } },
      { ...CALL, trace: '8', attributes: { 'peer.service': ['pay'] } },
      PAY,
    ]
    answers('leaves out what did not fail, is no call, or names no one else', { spans: others }, async (reader) => {
      await expectUnanswered(reader, {})
    })

    const answered: SpanLiteral[] = [
      { ...CALL, trace: '1', id: '1' },
      { trace: '1', id: '2', parent: '1', service: 'pay', kind: 'SERVER', status: 'ERROR' },
      { ...CALL, trace: '2', id: '1' },
      { trace: '2', id: '2', parent: '1', service: 'cart', kind: 'SERVER' },
      { ...CALL, trace: '3', id: '3', atMs: MS_PER_HOUR - 1 },
      { trace: '3', id: '4', parent: '3', service: 'pay', atMs: MS_PER_HOUR },
      { ...CALL, trace: '4', id: '4' },
      { trace: '5', id: '5', parent: '4', service: 'pay' },
    ]
    answers(
      'leaves out calls with a span of the callee below them',
      { spans: answered.toReversed() },
      async (reader) => {
        await expectUnanswered(reader, { pay: 2 })
        await expectUnanswered(reader, {}, windowMs(MS_PER_HOUR - 1, MS_PER_HOUR))
      },
    )

    const edges: SpanLiteral[] = [-1n, 0n, 999n, 1000n].map((offset, index) => {
      return { ...CALL, trace: `${index + 1}`, startNs: BASE_NS + offset }
    })
    answers('takes what starts in the window, to the nanosecond', { spans: [...edges, PAY] }, async (reader) => {
      await expectUnanswered(reader, { pay: 2 }, { startNs: BASE_NS, endNs: BASE_NS + 1000n })
    })

    const lately: SpanLiteral[] = [
      { ...PAY, atMs: -DAY_MS },
      { ...CALL, trace: '1', atMs: -1 },
      { ...CALL, trace: '2', atMs: -1, attributes: { 'peer.service': 'later' } },
      { trace: '3', service: 'later', atMs: 0 },
    ]
    answers('knows the services of the 24 hours before the window ends', { spans: lately }, async (reader) => {
      await expectUnanswered(reader, { pay: 1 }, windowMs(-10, 0))
      await expectUnanswered(reader, { later: 1 }, windowMs(-10, 1))
    })
  })
}
