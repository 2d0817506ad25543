import type { Attributes } from '../../domain/attributes.ts'
import { expectFound } from './expect-found.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'

/** Trace 1 has the first attributes, trace 2 the second, and so on; the first is the newest. */
function tracesWith(...attributes: Attributes[]): SpanLiteral[] {
  return attributes.map((own, index) => ({ trace: `${index + 1}`, id: '1', atMs: 10 - index, attributes: own }))
}

export function describeSearchTags(backend: Backend): void {
  describeWithStore('searching traces by tags', backend, (subject) => {
    const answers = answersWherever(subject)

    const numbers = tracesWith({ code: 502 }, { code: '502' }, { code: 502.5 }, { code: '502.0' }, { code: 5020 }, {})
    answers('takes a number and a string of the same text as equal', { spans: numbers }, async (reader) => {
      await expectFound(reader, { tags: { code: '502' } }, ['1/1', '2/1'])
      await expectFound(reader, { tags: { code: '502.5' } }, ['3/1'])
      await expectFound(reader, { tags: { code: '502.0' } }, ['4/1'])
      await expectFound(reader, { tags: { code: '50' } }, [])
    })

    const odd = tracesWith({ n: -0.5 }, { n: 1e21 }, { n: 1.5e-7 }, { n: 0 }, { n: 9_007_199_254_740_991 }, { n: 0.1 })
    answers('writes numbers as JavaScript does', { spans: odd }, async (reader) => {
      await expectFound(reader, { tags: { n: '-0.5' } }, ['1/1'])
      await expectFound(reader, { tags: { n: '1e+21' } }, ['2/1'])
      await expectFound(reader, { tags: { n: '1.5e-7' } }, ['3/1'])
      await expectFound(reader, { tags: { n: '0' } }, ['4/1'])
      await expectFound(reader, { tags: { n: '9007199254740991' } }, ['5/1'])
      await expectFound(reader, { tags: { n: '0.1' } }, ['6/1'])
    })

    const large = tracesWith({ n: '9007199254740993' }, { n: '9007199254740992' }, { n: '9223372036854775807' })
    answers('tells integers beyond 2^53 apart', { spans: large }, async (reader) => {
      await expectFound(reader, { tags: { n: '9007199254740993' } }, ['1/1'])
      await expectFound(reader, { tags: { n: '9007199254740992' } }, ['2/1'])
      await expectFound(reader, { tags: { n: '9223372036854775807' } }, ['3/1'])
    })

    const plain = tracesWith({ v: true }, { v: 'true' }, { v: false }, { v: null }, { v: 'null' }, { v: '' }, {})
    answers('takes booleans by their text and nothing for null', { spans: plain }, async (reader) => {
      await expectFound(reader, { tags: { v: 'true' } }, ['1/1', '2/1'])
      await expectFound(reader, { tags: { v: 'false' } }, ['3/1'])
      await expectFound(reader, { tags: { v: 'null' } }, ['5/1'])
      await expectFound(reader, { tags: { v: '' } }, ['6/1'])
      await expectFound(reader, { tags: { v: 'undefined' } }, [])
      await expectFound(reader, { tags: { V: 'true' } }, [])
    })

    const nested = tracesWith(
      { v: ['a', 1, true, null] },
      { v: { a: { b: ['"', '/', 'é', '\n'] } } },
      { v: [] },
      { v: {} },
      { v: '["a",1,true,null]' },
      { v: ['a'] },
    )
    answers('takes lists and maps by their JSON text', { spans: nested }, async (reader) => {
      await expectFound(reader, { tags: { v: '["a",1,true,null]' } }, ['1/1', '5/1'])
      await expectFound(reader, { tags: { v: '{"a":{"b":["\\"","/","é","\\n"]}}' } }, ['2/1'])
      await expectFound(reader, { tags: { v: '[]' } }, ['3/1'])
      await expectFound(reader, { tags: { v: '{}' } }, ['4/1'])
      await expectFound(reader, { tags: { v: 'a' } }, [])
    })

    const paths = tracesWith(
      { 'a.b': 'x' },
      { a: { b: 'x' } },
      { a: ['x'] },
      { 'a[0]': 'x' },
      { '$.a': 'x' },
      { a: 'x' },
    )
    answers('takes a key as it is, not as a path', { spans: paths }, async (reader) => {
      await expectFound(reader, { tags: { 'a.b': 'x' } }, ['1/1'])
      await expectFound(reader, { tags: { 'a[0]': 'x' } }, ['4/1'])
      await expectFound(reader, { tags: { '$.a': 'x' } }, ['5/1'])
      await expectFound(reader, { tags: { a: 'x' } }, ['6/1'])
      await expectFound(reader, { tags: { '/a/b': 'x' } }, [])
      await expectFound(reader, { tags: { '/a': 'x' } }, [])
      await expectFound(reader, { tags: { '*': 'x' } }, [])
    })

    const both: SpanLiteral[] = [
      { trace: '1', atMs: 5, attributes: { region: 'eu' } },
      { trace: '2', atMs: 4, resource: { region: 'eu' } },
      { trace: '3', atMs: 3, attributes: { region: 'us' }, resource: { region: 'eu' } },
      { trace: '4', atMs: 2, attributes: { region: 'eu' }, resource: { region: 'us' } },
      { trace: '5', atMs: 1, attributes: { region: null }, resource: { region: 'us' } },
      { trace: '6', atMs: 0, resource: { pid: 7, labels: ['a'] } },
    ]
    answers("looks at the span's attributes and at its resource's", { spans: both }, async (reader) => {
      await expectFound(reader, { tags: { region: 'eu' } }, ['1/1', '2/1', '3/1', '4/1'])
      await expectFound(reader, { tags: { region: 'us' } }, ['3/1', '4/1', '5/1'])
      await expectFound(reader, { tags: { pid: '7' } }, ['6/1'])
      await expectFound(reader, { tags: { labels: '["a"]' } }, ['6/1'])
      await expectFound(reader, { tags: { 'service.name': 'shop', region: 'us' } }, ['3/1', '4/1', '5/1'])
    })

    const several: SpanLiteral[] = [
      { trace: '1', id: '1', atMs: 2, attributes: { a: 'x' } },
      { trace: '1', id: '2', parent: '1', atMs: 3, attributes: { b: 'y' } },
      { trace: '2', id: '3', atMs: 1, attributes: { a: 'x', c: 1 } },
      { trace: '2', id: '4', parent: '3', atMs: 4, attributes: { a: 'x', b: 'y' } },
      { trace: '3', id: '5', atMs: 0, attributes: { a: 'x' }, resource: { b: 'y' }, service: 'cart' },
    ]
    answers('wants all tags on one and the same span', { spans: several }, async (reader) => {
      await expectFound(reader, { tags: { a: 'x', b: 'y' } }, ['2/4', '3/5'])
      await expectFound(reader, { tags: { a: 'x' } }, ['1/1', '2/3', '3/5'])
      await expectFound(reader, { tags: { a: 'x', b: 'y', c: '1' } }, [])
      await expectFound(reader, { tags: { a: 'x', b: 'y' }, serviceName: 'cart' }, ['3/5'])
      await expectFound(reader, { tags: { a: 'x' }, minDurationMs: 11 }, [])
    })

    const inherited = tracesWith({ a: 'x' })
    answers('knows no keys that no one sent', { spans: inherited }, async (reader) => {
      for (const key of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'length', '']) {
        await expectFound(reader, { tags: { [key]: 'x' } }, [])
        await expectFound(reader, { tags: { [key]: '' } }, [])
      }
    })
  })
}
