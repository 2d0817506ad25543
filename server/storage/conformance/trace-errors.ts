import { expect } from 'vitest'
import type { SpanEvent } from '../../domain/span.ts'
import { traceIdOf } from './column-filling.ts'
import { answersWherever } from './placements.ts'
import { type SpanLiteral, spanOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR } from './test-time.ts'

const TRACE = traceIdOf('1')

const event = (name: string): SpanEvent => ({ name, timeNs: BASE_NS + 5n, attributes: { 'exception.type': 'Oops' } })

export function describeTraceErrors(backend: Backend): void {
  describeWithStore('reading the errors of a trace', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('has no errors of an unknown trace', {}, async (reader) => {
      expect(await reader.traceErrorSpans(TRACE, 10)).toEqual([])
    })

    const mixed: SpanLiteral[] = [
      { id: '5', atMs: 5, events: [event('retry'), event('exception')], service: 'cart' },
      { id: '4', atMs: 4, status: 'OK' },
      { id: '3', atMs: 3, status: 'ERROR', statusMessage: 'refused', attributes: { 'error.type': 'timeout' } },
      { id: '2', atMs: 2, events: [event('exceptional'), event('Exception')] },
      { id: '1', atMs: 1, statusMessage: 'exception', attributes: { name: 'exception' } },
      { trace: '2', id: '3', atMs: 3, status: 'ERROR' },
    ]
    answers('gives failed spans and those with an exception event, whole', { spans: mixed }, async (reader) => {
      const [withException, , failed] = mixed.map(spanOf)
      expect(await reader.traceErrorSpans(TRACE, 10)).toEqual([failed, withException])
    })

    const text = '"name":"exception"'
    const misleading: SpanLiteral[] = [
      { id: '1', events: [{ name: text, timeNs: BASE_NS, attributes: {} }] },
      {
        id: '2',
        events: [
          { name: 'log', timeNs: BASE_NS, attributes: { name: 'exception', text, deep: { name: 'exception' } } },
        ],
      },
      { id: '3', attributes: { events: [{ name: 'exception' }] } },
    ]
    answers('is not misled by the word elsewhere in an event', { spans: misleading }, async (reader) => {
      expect(await reader.traceErrorSpans(TRACE, 10)).toEqual([])
    })

    const failedIds = ['ffffffffffffffff', '3', '8000000000000000', '1']
    const ties = failedIds.map((id): SpanLiteral => ({ id, atMs: 0, status: 'ERROR' }))
    const later: SpanLiteral = { id: '2', atMs: MS_PER_HOUR, status: 'ERROR' }
    answers('sorts by start, then by id, and stops at the limit', { spans: [later, ...ties] }, async (reader) => {
      const all = [ties[3], ties[1], ties[2], ties[0], later].map((span) => spanOf(span as SpanLiteral))
      expect(await reader.traceErrorSpans(TRACE, 10)).toEqual(all)
      expect(await reader.traceErrorSpans(TRACE, 3)).toEqual(all.slice(0, 3))
    })
  })
}
