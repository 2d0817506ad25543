import { expect } from 'vitest'
import { traceIdOf } from './column-filling.ts'
import { type LogLiteral, logOf } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

const FULL_LOG: LogLiteral = {
  id: 'ffffffffffffffff0000000000000001',
  trace: 'f00dfacecafebeef0123456789abcdef',
  span: 'fedcba9876543210',
  service: 'checkout',
  body: '{"order":42,"items":["a"]}',
  timeNs: BASE_NS + 123_456_789n,
  observedNs: BASE_NS + 987_654_321n,
  severityNumber: 24,
  severityText: 'FATAL4',
  eventName: 'order.failed',
  flags: 1,
  droppedAttributes: 4_294_967_295,
  attributes: { text: 'é "x"', number: 1.5, yes: false, nothing: null, list: [1, 'a'], map: { a: {} }, '': 'no key' },
  resource: { 'host.name': 'web-1', 'process.pid': 4711 },
  scopeName: 'logger',
  scopeVersion: '2.0',
}

export function describeLogReading(backend: Backend): void {
  describeWithStore('reading logs', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('has no logs where there are none', { spans: [{}] }, async (reader) => {
      expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual([])
      expect(await reader.traceLogs(traceIdOf('1'), 10)).toEqual([])
    })

    answers('gives back every field of a record', { logs: [FULL_LOG] }, async (reader) => {
      expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual([logOf(FULL_LOG)])
      expect(await reader.traceLogs(FULL_LOG.trace ?? '', 10)).toEqual([logOf(FULL_LOG)])
    })

    const bare: LogLiteral = { id: '1', body: '', severityNumber: 0, severityText: '' }
    answers('gives back a record that says almost nothing', { logs: [bare] }, async (reader) => {
      expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual([logOf(bare)])
    })

    const traced: LogLiteral[] = [
      { id: 'd', trace: '1', atMs: 3 * MS_PER_HOUR, body: 'last' },
      { id: 'c', trace: '1', atMs: 1, span: '7' },
      { id: 'f', trace: '1', atMs: 0 },
      { id: 'ffffffffffffffffffffffffffffffff', trace: '1', atMs: 1 },
      { id: '80000000000000000000000000000000', trace: '1', atMs: 1, service: 'cart' },
      { id: 'a', trace: '2', atMs: 1 },
      { id: 'b', atMs: 1 },
    ]
    answers('sorts the logs of a trace by time, then by id', { logs: traced }, async (reader) => {
      const [last, c, first, highest, high] = traced.map(logOf)
      const all = [first, c, high, highest, last]
      expect(await reader.traceLogs(traceIdOf('1'), 10)).toEqual(all)
      expect(await reader.traceLogs(traceIdOf('1'), 3)).toEqual(all.slice(0, 3))
    })

    answers('has no logs of the trace that belongs to none', { logs: traced }, async (reader) => {
      expect(await reader.traceLogs(traceIdOf('0'), 10)).toEqual([])
    })

    const edges: LogLiteral[] = [-1n, 0n, 1n, 999_999n, 1_000_000n].map((offset, index) => {
      return { id: `${index + 1}`, timeNs: BASE_NS + offset, observedNs: BASE_NS }
    })
    answers('takes what lies in the window to the nanosecond', { logs: edges }, async (reader) => {
      const within = edges.slice(1, 4).map(logOf)
      expect(await reader.logs(windowMs(0, 1), 10)).toEqual(within)
      expect(await reader.logs(windowMs(0, 1), 2)).toEqual(within.slice(0, 2))
      expect(await reader.logs(windowMs(1, 1), 10)).toEqual([])
    })

    const hours: LogLiteral[] = [2, 0, 3, 1].map((hour) => ({ id: `${hour + 1}`, atMs: hour * MS_PER_HOUR }))
    answers('joins the hours of a long window', { logs: hours }, async (reader) => {
      const [c, a, d, b] = hours.map(logOf)
      expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual([a, b, c, d])
      expect(await reader.logs(WHOLE_WINDOW, 3)).toEqual([a, b, c])
      expect(await reader.logs(windowMs(MS_PER_HOUR, 3 * MS_PER_HOUR), 10)).toEqual([b, c])
    })

    const many = Array.from({ length: 5000 }, (_, index): LogLiteral => {
      return {
        id: (index + 1).toString(16),
        atMs: (index * 7919) % 5000,
        body: `line ${index}`,
        trace: `${1 + (index % 3)}`,
      }
    })
    answers('keeps the rows of a large batch apart', { logs: many }, async (reader) => {
      const sorted = many.map(logOf).toSorted((a, b) => Number(a.timeNs - b.timeNs))
      expect(await reader.logs(WHOLE_WINDOW, 3000)).toEqual(sorted.slice(0, 3000))
      const traceId = traceIdOf('2')
      expect(await reader.traceLogs(traceId, 5000)).toEqual(sorted.filter((log) => log.traceId === traceId))
    })

    const distant: LogLiteral[] = [
      { id: '1', timeNs: 1n, observedNs: 0n },
      { id: '2', timeNs: BigInt(Date.UTC(2200, 0, 1)) * 1_000_000n + 1n, body: '🙂'.repeat(10_000) },
    ]
    answers('keeps far times and long bodies', { logs: distant }, async (reader) => {
      expect(await reader.logs({ startNs: 0n, endNs: 2n ** 63n - 1n }, 10)).toEqual(distant.map(logOf))
    })
  })
}
