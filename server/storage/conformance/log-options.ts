import { expect } from 'vitest'
import type { LogLiteral } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR } from './test-time.ts'

export function describeLogOptions(backend: Backend): void {
  describeWithStore('listing what logs can be searched for', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('lists nothing where no logs are', { spans: [{ attributes: { a: 1 } }], points: [{}] }, async (reader) => {
      expect(await reader.logFilterOptions(10)).toEqual({ severityLevels: [], serviceNames: [], attributeKeys: [] })
    })

    const logs: LogLiteral[] = [
      { id: '1', severityNumber: 24, service: 'é', attributes: { b: 1 } },
      { id: '2', severityNumber: 1, service: 'Z', atMs: MS_PER_HOUR, attributes: { b: 1, c: { inner: 1 } } },
      { id: '3', severityNumber: 18, service: 'a', attributes: { b: 1, c: null }, resource: { host: 'h' } },
      { id: '4', severityNumber: 0, service: 'a', attributes: { a: [] } },
    ]
    answers('sorts levels by rank and the rest by name', { logs }, async (reader) => {
      expect(await reader.logFilterOptions(10)).toEqual({
        severityLevels: ['Trace', 'Information', 'Error', 'Fatal'],
        serviceNames: ['Z', 'a', 'é'],
        attributeKeys: ['a', 'b', 'c', 'host', 'service.name'],
      })
    })

    answers('keeps the most used keys, on a tie the first by name', { logs }, async (reader) => {
      expect((await reader.logFilterOptions(1)).attributeKeys).toEqual(['service.name'])
      expect((await reader.logFilterOptions(3)).attributeKeys).toEqual(['b', 'c', 'service.name'])
      expect((await reader.logFilterOptions(4)).attributeKeys).toEqual(['a', 'b', 'c', 'service.name'])
    })

    const both = { spans: [{ service: 'traced', attributes: { s: 1 } }], logs: [{ service: 'logged' }] }
    answers('tells logs and spans apart', both, async (reader) => {
      expect((await reader.logFilterOptions(10)).serviceNames).toEqual(['logged'])
      expect(await reader.traceFilterOptions(10)).toEqual({
        serviceNames: ['traced'],
        operationNames: ['GET /'],
        statusValues: ['OK'],
        tagKeys: ['s', 'service.name'],
      })
    })
  })
}
