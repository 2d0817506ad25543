import { expect } from 'vitest'
import type { TraceFilterOptions } from '../telemetry-store.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR } from './test-time.ts'

const NONE: TraceFilterOptions = { serviceNames: [], operationNames: [], statusValues: [], tagKeys: [] }

/** So many spans, all in a trace of their own. */
function times(count: number, name: string, literal: SpanLiteral): SpanLiteral[] {
  return Array.from({ length: count }, (_, index) => {
    const trace = Buffer.from(`${name}${index}`).toString('hex')
    return { ...literal, trace, atMs: (index % 2) * MS_PER_HOUR }
  })
}

export function describeFilterOptions(backend: Backend): void {
  describeWithStore('listing what can be searched for', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('lists nothing where no spans are', { logs: [{ attributes: { a: 1 } }], points: [{}] }, async (reader) => {
      expect(await reader.traceFilterOptions(10)).toEqual(NONE)
    })

    const names = ['b', 'a', 'Z', 'é', 'aa', '10', '9', '🙂']
    const named = names.map((name, index): SpanLiteral => {
      return { id: `${index + 1}`, service: name, operation: name, attributes: { [name]: 1 } }
    })
    answers('sorts by name, whatever the language', { spans: named }, async (reader) => {
      const sorted = ['10', '9', 'Z', 'a', 'aa', 'b', 'é', '🙂']
      expect(await reader.traceFilterOptions(100)).toEqual({
        serviceNames: sorted,
        operationNames: sorted,
        statusValues: ['OK'],
        tagKeys: ['10', '9', 'Z', 'a', 'aa', 'b', 'service.name', 'é', '🙂'],
      })
    })

    answers('lists errors only where there are any', { spans: [{ status: 'ERROR' }] }, async (reader) => {
      expect((await reader.traceFilterOptions(10)).statusValues).toEqual(['ERROR'])
    })

    const statuses: SpanLiteral[] = [{ id: '1', status: 'ERROR' }, { id: '2' }, { id: '3', status: 'OK' }]
    answers('lists both outcomes once each', { spans: statuses }, async (reader) => {
      expect((await reader.traceFilterOptions(10)).statusValues.toSorted()).toEqual(['ERROR', 'OK'])
    })

    const used = [
      ...times(2, 'd', { operation: 'd', service: 'z', attributes: { k4: {}, k5: '' } }),
      ...times(3, 'x', { operation: 'x', attributes: { k1: 1, k2: 1 } }),
      ...times(2, 'c', { operation: 'c', attributes: { k2: 'a', k3: null } }),
      ...times(2, 'b', { operation: 'b', attributes: { k3: [] } }),
      ...times(1, 'a', { operation: 'a', service: 'y', resource: { host: 'h' } }),
    ]
    answers('keeps the most used, on a tie the first by name', { spans: used }, async (reader) => {
      expect((await reader.traceFilterOptions(1)).operationNames).toEqual(['x'])
      expect((await reader.traceFilterOptions(3)).operationNames).toEqual(['b', 'c', 'x'])
      expect((await reader.traceFilterOptions(5)).operationNames).toEqual(['a', 'b', 'c', 'd', 'x'])
      expect((await reader.traceFilterOptions(3)).tagKeys).toEqual(['k2', 'k3', 'service.name'])
      expect((await reader.traceFilterOptions(5)).tagKeys).toEqual(['k1', 'k2', 'k3', 'k4', 'service.name'])
    })

    answers('lists every service, however few may be listed of the rest', { spans: used }, async (reader) => {
      expect((await reader.traceFilterOptions(1)).serviceNames).toEqual(['shop', 'y', 'z'])
    })

    const often: SpanLiteral = { trace: '1', id: '1', operation: 'sent often', attributes: { often: 1 } }
    const resent = [often, often, often, often, ...times(2, 'r', { operation: 'real', attributes: { real: 1 } })]
    answers('counts a span once, however often it was sent', { spans: resent }, async (reader) => {
      const { operationNames, tagKeys } = await reader.traceFilterOptions(1)
      expect(operationNames).toEqual(['real'])
      expect(tagKeys).toEqual(['service.name'])
      expect((await reader.traceFilterOptions(2)).tagKeys).toEqual(['real', 'service.name'])
    })

    const nested: SpanLiteral[] = [
      { attributes: { map: { inner: 1 }, 'a.b': { c: 1 }, list: [{ deep: 1 }] }, resource: { 'host.name': 'h' } },
    ]
    answers('lists the keys of span and resource, not those within values', { spans: nested }, async (reader) => {
      expect((await reader.traceFilterOptions(100)).tagKeys).toEqual([
        'a.b',
        'host.name',
        'list',
        'map',
        'service.name',
      ])
    })

    const events: SpanLiteral[] = [{ events: [{ name: 'e', timeNs: 1n, attributes: { inEvent: 1 } }] }]
    answers('lists no keys of events', { spans: events }, async (reader) => {
      expect((await reader.traceFilterOptions(100)).tagKeys).toEqual(['service.name'])
    })
  })
}
