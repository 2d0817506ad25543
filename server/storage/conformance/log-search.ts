import { expect } from 'vitest'
import type { SeverityLevel } from '../../domain/log-record.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectLogs } from './expect-logs.ts'
import { type LogLiteral, logOf } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

export function describeLogSearch(backend: Backend): void {
  describeWithStore('searching logs', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('finds nothing where nothing is', { spans: [{ id: '1' }] }, async (reader) => {
      await expectLogs(reader, {}, [])
      expect(await reader.log(traceIdOf('1'))).toBeUndefined()
      expect(await reader.firstLogOfSpan(spanIdOf('1'))).toBeUndefined()
    })

    const times: LogLiteral[] = [
      { id: 'a', atMs: 1 },
      { id: 'b', atMs: 2 },
      { id: 'ffffffffffffffffffffffffffffffff', atMs: 2 },
      { id: '80000000000000000000000000000000', atMs: 2, service: 'cart' },
      { id: 'c', atMs: 3 * MS_PER_HOUR },
      { id: 'd', atMs: -1 },
    ]
    const sorted = ['c', 'b', '80000000000000000000000000000000', 'ffffffffffffffffffffffffffffffff', 'a', 'd']
    answers('lists the newest first, ties by id', { logs: times }, (reader) => expectLogs(reader, {}, sorted))

    answers('goes through pages and past the last one', { logs: times }, async (reader) => {
      await expectLogs(reader, {}, sorted.slice(0, 2), { offset: 0, limit: 2 })
      await expectLogs(reader, {}, sorted.slice(2, 5), { offset: 2, limit: 3 })
      await expectLogs(reader, {}, sorted.slice(5), { offset: 5, limit: 3 })
      await expectLogs(reader, {}, [], { offset: Number.MAX_SAFE_INTEGER, limit: 100 })
      const { totalCount } = await reader.searchLogs({ window: WHOLE_WINDOW }, { offset: 50, limit: 1 })
      expect(totalCount).toBe(6)
    })

    const edges: LogLiteral[] = [-1n, 0n, 1n, 999_999n, 1_000_000n].map((offset, index) => {
      return { id: `${index + 1}`, timeNs: BASE_NS + offset, observedNs: BASE_NS }
    })
    answers('takes what lies in the window to the nanosecond', { logs: edges }, async (reader) => {
      await expectLogs(reader, { window: windowMs(0, 1) }, ['4', '3', '2'])
      await expectLogs(reader, { window: windowMs(1, 1) }, [])
    })

    const whole: LogLiteral = {
      id: 'a',
      trace: 'b',
      span: 'c',
      severityNumber: 17,
      body: 'order 17 is lost',
      attributes: { n: 1 },
      resource: { host: 'h' },
    }
    answers('gives back whole records', { logs: [whole] }, async (reader) => {
      const { items } = await reader.searchLogs({ window: WHOLE_WINDOW }, { offset: 0, limit: 1 })
      expect(items).toEqual([logOf(whole)])
      expect(items[0]?.template).toBe('order <*> is lost')
    })

    const severities = Array.from({ length: 25 }, (_, severityNumber): LogLiteral => {
      return { id: (severityNumber + 1).toString(16), atMs: 30 - severityNumber, severityNumber }
    })
    answers('tells levels apart', { logs: severities }, async (reader) => {
      const expectLevel = (severityLevel: SeverityLevel, ids: string[]) => expectLogs(reader, { severityLevel }, ids)
      await expectLevel('Trace', ['2', '3', '4', '5'])
      await expectLevel('Debug', ['6', '7', '8', '9'])
      await expectLevel('Information', ['1', 'a', 'b', 'c', 'd'])
      await expectLevel('Warning', ['e', 'f', '10', '11'])
      await expectLevel('Error', ['12', '13', '14', '15'])
      await expectLevel('Fatal', ['16', '17', '18', '19'])
    })

    const placed: LogLiteral[] = [
      { id: '1', atMs: 3, trace: 'a', span: '1', service: 'cart' },
      { id: '2', atMs: 2, trace: 'a', span: '2' },
      { id: '3', atMs: 1, trace: 'b', span: '1' },
      { id: '4', atMs: 0 },
    ]
    answers('takes those of a service, a trace and a span', { logs: placed }, async (reader) => {
      await expectLogs(reader, { serviceName: 'cart' }, ['1'])
      await expectLogs(reader, { serviceName: 'car' }, [])
      await expectLogs(reader, { traceId: traceIdOf('a') }, ['1', '2'])
      await expectLogs(reader, { spanId: spanIdOf('1') }, ['1', '3'])
      await expectLogs(reader, { spanId: spanIdOf('1'), traceId: traceIdOf('a'), serviceName: 'cart' }, ['1'])
      await expectLogs(reader, { spanId: spanIdOf('1'), traceId: traceIdOf('a'), serviceName: 'shop' }, [])
      await expectLogs(reader, { traceId: traceIdOf('0') }, [])
      await expectLogs(reader, { spanId: spanIdOf('0') }, [])
    })

    const attributed: LogLiteral[] = [
      { id: '1', atMs: 4, attributes: { code: 502, ok: true } },
      { id: '2', atMs: 3, attributes: { code: '502', ok: 'true', list: ['a', 1] } },
      { id: '3', atMs: 2, attributes: { code: 5020, ok: false }, resource: { zone: 'eu', code: 1 } },
      { id: '4', atMs: 1, attributes: { 'a.b': 'x', n: 1e21 }, resource: { zone: 'us' } },
      { id: '5', atMs: 0, attributes: { a: { b: 'x' }, zone: null } },
    ]
    answers('compares attributes of record and resource as text', { logs: attributed }, async (reader) => {
      await expectLogs(reader, { attributes: { code: '502' } }, ['1', '2'])
      await expectLogs(reader, { attributes: { code: '502', ok: 'true' } }, ['1', '2'])
      await expectLogs(reader, { attributes: { ok: 'false' } }, ['3'])
      await expectLogs(reader, { attributes: { zone: 'eu' } }, ['3'])
      await expectLogs(reader, { attributes: { zone: 'eu', code: '5020' } }, ['3'])
      await expectLogs(reader, { attributes: { zone: 'us', code: '502' } }, [])
      await expectLogs(reader, { attributes: { 'a.b': 'x' } }, ['4'])
      await expectLogs(reader, { attributes: { n: '1e+21' } }, ['4'])
      await expectLogs(reader, { attributes: { list: '["a",1]' } }, ['2'])
      await expectLogs(reader, { attributes: { zone: 'null' } }, [])
      await expectLogs(reader, { attributes: { 'service.name': 'shop', code: '1' } }, ['3'])
    })

    answers('finds a record by its id', { logs: times }, async (reader) => {
      for (const literal of times) expect(await reader.log(logOf(literal).id)).toEqual(logOf(literal))
      expect(await reader.log(traceIdOf('404'))).toBeUndefined()
    })

    const inSpans: LogLiteral[] = [
      { id: '1', trace: 'a', span: '1', atMs: MS_PER_HOUR, body: 'later' },
      { id: '3', trace: 'a', span: '1', atMs: 5, body: 'first, second by id' },
      { id: '2', trace: 'a', span: '1', atMs: 5, body: 'first' },
      { id: '4', trace: 'b', span: '1', atMs: 1, body: 'of an older trace' },
      { id: '5', trace: 'a', span: '2', atMs: 0 },
      { id: '6', atMs: 0 },
    ]
    answers('finds the first record of a span', { logs: inSpans }, async (reader) => {
      expect((await reader.firstLogOfSpan(spanIdOf('1')))?.body).toBe('first')
      expect((await reader.firstLogOfSpan(spanIdOf('2')))?.id).toBe(traceIdOf('5'))
      expect(await reader.firstLogOfSpan(spanIdOf('3'))).toBeUndefined()
      expect(await reader.firstLogOfSpan(spanIdOf('0'))).toBeUndefined()
    })
  })
}
