import { expect } from 'vitest'
import type { TelemetryReader } from '../telemetry-store.ts'
import { spanIdOf } from './column-filling.ts'
import { expectFound } from './expect-found.ts'
import { expectLogs } from './expect-logs.ts'
import { requestsByService } from './expect-requests.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'
import { type LogLiteral, logOf } from './log-builder.ts'
import { metricPointOf, type PointLiteral } from './metric-builder.ts'
import { type Answers, answersWherever } from './placements.ts'
import { type SpanLiteral, spanOf } from './span-builder.ts'
import { type Backend, describeWithStore, type Records } from './subject.ts'
import { BASE_NS, DAY_WINDOW, WHOLE_WINDOW } from './test-time.ts'

const shortId = (index: number): string => (index + 1).toString(16)

const SPANS = HOSTILE_TEXTS.map((text, index): SpanLiteral => {
  return {
    trace: shortId(index),
    id: shortId(index),
    atMs: index,
    service: text,
    operation: text,
    statusMessage: text,
    traceState: text,
    scopeName: text,
    scopeVersion: text,
    attributes: { [text]: 'by key', 'by.value': text, nested: { [text]: [text] } },
    resource: { [`resource ${text}`]: text },
    events: [{ name: text, timeNs: BASE_NS, attributes: { [text]: text } }],
    links: [{ traceId: spanIdOf('1').repeat(2), spanId: spanIdOf('1'), attributes: { [text]: text } }],
  }
})

const LOGS = HOSTILE_TEXTS.map((text, index): LogLiteral => {
  return {
    id: shortId(index),
    atMs: index,
    service: text,
    body: text,
    severityText: text,
    eventName: text,
    scopeName: text,
    scopeVersion: text,
    attributes: { [text]: text },
    resource: { [`resource ${text}`]: text },
  }
})

const POINTS = HOSTILE_TEXTS.map((text, index): PointLiteral => {
  return {
    atMs: index,
    name: text,
    description: text,
    unit: text,
    service: text,
    scopeName: text,
    scopeVersion: text,
    attributes: { [text]: text },
    resource: { [`resource ${text}`]: text },
  }
})

/** Longer than what a person types. */
const WORD_LENGTH_MAX = 1000

/** So many questions are under way at once. */
const AT_ONCE = 8

type Check = (text: string, id: string) => Promise<void>

async function forEachOf(texts: typeof NUMBERED, check: Check): Promise<void> {
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    await Promise.all(texts.slice(from, from + AT_ONCE).map(({ text, id }) => check(text, id)))
  }
}

const NUMBERED = HOSTILE_TEXTS.map((text, index) => ({ text, id: shortId(index) }))
/** Two halves of the same sorts: neighbours are alike. */
const EVEN = NUMBERED.filter((_, index) => index % 2 === 0)
const ODD = NUMBERED.filter((_, index) => index % 2 === 1)

/** One Grid holds all texts, because each is also what the others must not match. */
export function describeHostileInput(backend: Backend): void {
  describeWithStore('handling hostile texts', backend, (subject) => {
    const anywhere = answersWherever(subject)
    const answers: Answers = (title, given, ask) => anywhere(title, given, ask, ['just written', 'settled'])
    /** Asks for every text: for one half where it was just written, and for the other where it was settled. */
    const finds = (title: string, given: Records, check: (reader: TelemetryReader) => Check): void => {
      anywhere(title, given, (reader) => forEachOf(EVEN, check(reader)), ['just written'])
      anywhere(title, given, (reader) => forEachOf(ODD, check(reader)), ['settled'])
    }

    answers('keeps every text of a span', { spans: SPANS }, async (reader) => {
      const spans = await Promise.all(SPANS.map((span) => reader.span(spanIdOf(span.id ?? ''))))
      expect(spans).toEqual(SPANS.map(spanOf))
    })

    finds(
      'finds exactly by service',
      { spans: SPANS },
      (reader) => (text, id) => expectFound(reader, { serviceName: text }, [`${id}/${id}`]),
    )

    finds(
      'finds exactly by operation',
      { spans: SPANS },
      (reader) => (text, id) => expectFound(reader, { operationName: text }, [`${id}/${id}`]),
    )

    finds(
      "finds exactly by a tag's value",
      { spans: SPANS },
      (reader) => (text, id) => expectFound(reader, { tags: { 'by.value': text } }, [`${id}/${id}`]),
    )

    finds(
      "finds exactly by a tag's key",
      { spans: SPANS },
      (reader) => (text, id) => expectFound(reader, { tags: { [text]: 'by key' } }, [`${id}/${id}`]),
    )

    finds(
      "finds exactly by a resource's key and value",
      { spans: SPANS },
      (reader) => (text, id) => expectFound(reader, { tags: { [`resource ${text}`]: text } }, [`${id}/${id}`]),
    )

    const keyless: SpanLiteral[] = [{ attributes: { '': 'x' } }, { trace: '2', attributes: { ' ': 'x' } }]
    answers('finds by an empty key', { spans: keyless }, async (reader) => {
      await expectFound(reader, { tags: { '': 'x' } }, ['1/1'])
      expect((await reader.traceFilterOptions(10)).tagKeys).toEqual(['', ' ', 'service.name'])
    })

    answers('lists every text as an option', { spans: SPANS }, async (reader) => {
      const { serviceNames, operationNames, tagKeys } = await reader.traceFilterOptions(10_000)
      expect(new Set(serviceNames)).toEqual(new Set(HOSTILE_TEXTS))
      expect(new Set(operationNames)).toEqual(new Set(HOSTILE_TEXTS))
      const keys = HOSTILE_TEXTS.flatMap((text) => [text, `resource ${text}`])
      expect(new Set(tagKeys)).toEqual(new Set([...keys, 'by.value', 'nested', 'service.name']))
    })

    const byService = Object.fromEntries([
      ['constructor', 5],
      ['__proto__', 5],
      ["'", 1],
    ])
    const judged = { spans: SPANS, apdex: { defaultMs: 500, byService } }
    answers('counts the requests of every service', judged, async (reader) => {
      const requests = await requestsByService(reader)
      expect(new Set(requests.map((request) => request.serviceName))).toEqual(new Set(HOSTILE_TEXTS))
      const unsatisfied = requests.filter((request) => request.satisfiedCount === 0)
      expect(unsatisfied.map((request) => request.serviceName).toSorted()).toEqual(["'", '__proto__', 'constructor'])
    })

    answers('tells services and operations apart', { spans: SPANS }, async (reader) => {
      const groups = await reader.requests({ window: DAY_WINDOW, by: ['service', 'operation'], latencies: true })
      expect(groups.every((group) => group.serviceName === group.operationName)).toBe(true)
      expect(new Set(groups.map((group) => group.operationName))).toEqual(new Set(HOSTILE_TEXTS))
    })

    finds('tells the operations of a service', { spans: SPANS }, (reader) => async (text) => {
      const [own, ...others] = await reader.requests({
        window: DAY_WINDOW,
        by: ['operation'],
        serviceName: text,
        latencies: false,
      })
      expect(own).toMatchObject({ serviceName: '', operationName: text, requestCount: 1 })
      expect(others).toEqual([])
    })

    answers('counts spans by service and resource', { spans: SPANS }, async (reader) => {
      const services = await reader.serviceSpans(WHOLE_WINDOW)
      expect(new Set(services.map((service) => service.serviceName))).toEqual(new Set(HOSTILE_TEXTS))
      const { resources, rows } = await reader.resourceActivity(WHOLE_WINDOW)
      expect(rows).toHaveLength(HOSTILE_TEXTS.length)
      for (const { serviceName, resourceIndex } of rows) {
        expect(resources[resourceIndex]).toEqual({
          'service.name': serviceName,
          [`resource ${serviceName}`]: serviceName,
        })
      }
    })

    const calls: SpanLiteral[] = HOSTILE_TEXTS.flatMap((text, index) => [
      { trace: `1${shortId(index)}`, id: '1', kind: 'CLIENT', attributes: { 'peer.service': text } },
      { trace: `2${shortId(index)}`, id: '2', kind: 'PRODUCER', attributes: { 'db.system': text, 'db.name': text } },
    ])
    answers('names what is called', { spans: calls }, async (reader) => {
      const edges = await reader.edges(DAY_WINDOW)
      const targetsOf = (kind: string) => edges.filter((edge) => edge.kind === kind).map((edge) => edge.targetName)
      expect(targetsOf('CLIENT').toSorted()).toEqual(HOSTILE_TEXTS.toSorted())
      expect(targetsOf('PRODUCER').toSorted()).toEqual(HOSTILE_TEXTS.map((text) => `${text}/${text}`).toSorted())
    })

    const known: SpanLiteral[] = [...SPANS, ...calls]
    answers('knows what is called for a service', { spans: known }, async (reader) => {
      const edges = await reader.edges(DAY_WINDOW)
      expect(
        edges
          .filter((edge) => edge.targetIsService)
          .map((edge) => edge.targetName)
          .toSorted(),
      ).toEqual(HOSTILE_TEXTS.toSorted())
    })

    finds('takes samples by service and operation', { spans: SPANS }, (reader) => async (text, id) => {
      const byService = await reader.sampleSpans(WHOLE_WINDOW, { serviceName: text }, 10)
      const byOperation = await reader.sampleSpans(WHOLE_WINDOW, { operationName: text }, 10)
      for (const found of [byService, byOperation]) expect(found.map((span) => span.spanId)).toEqual([spanIdOf(id)])
    })

    answers('counts the log records of every service', { logs: LOGS }, async (reader) => {
      const counts = await reader.logCounts(WHOLE_WINDOW)
      expect(new Set(counts.map((count) => count.serviceName))).toEqual(new Set(HOSTILE_TEXTS))
      expect(counts).toHaveLength(HOSTILE_TEXTS.length)
    })

    answers('names every metric', { points: POINTS }, async (reader) => {
      expect(new Set(await reader.metricNames(WHOLE_WINDOW))).toEqual(new Set(HOSTILE_TEXTS))
      const found = await reader.pointsOf([...HOSTILE_TEXTS], WHOLE_WINDOW, 1000)
      expect(found).toEqual(POINTS.map(metricPointOf))
    })

    answers('keeps every text of a log record', { logs: LOGS }, async (reader) => {
      expect(await reader.logs(WHOLE_WINDOW, 1000)).toEqual(LOGS.map(logOf))
    })

    finds('finds log records by any of their texts', { logs: LOGS }, (reader) => async (text, id) => {
      await expectLogs(reader, { serviceName: text }, [id])
      await expectLogs(reader, { attributes: { [text]: text } }, [id])
      const words = [text.slice(0, WORD_LENGTH_MAX)]
      const { items } = await reader.searchLogs({ window: WHOLE_WINDOW, words }, { offset: 0, limit: 100 })
      expect(items.map((log) => log.body)).toContain(text)
    })

    answers('lists every text as an option of logs', { logs: LOGS }, async (reader) => {
      const { serviceNames, attributeKeys } = await reader.logFilterOptions(10_000)
      expect(new Set(serviceNames)).toEqual(new Set(HOSTILE_TEXTS))
      const keys = HOSTILE_TEXTS.flatMap((text) => [text, `resource ${text}`])
      expect(new Set(attributeKeys)).toEqual(new Set([...keys, 'service.name']))
    })

    answers('keeps every text of a metric point and finds it by name', { points: POINTS }, async (reader) => {
      const found = await Promise.all(POINTS.map((point) => reader.metricPoints(point.name ?? '', WHOLE_WINDOW, 10)))
      expect(found).toEqual(POINTS.map((point) => [metricPointOf(point)]))
    })
  })
}
