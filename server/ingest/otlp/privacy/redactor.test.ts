import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LogColumns } from '../../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../../domain/columns/span-columns.ts'
import { PRIVACY_PLACES, type PrivacyRuleSettings } from '../../../domain/privacy-rule.ts'
import { logsRequest, metricsRequest, tracesRequest } from '../conformance/arbitrary-requests.ts'
import { decode, encode } from '../conformance/otlp-messages.ts'
import { logRows, spanRows } from '../conformance/rows.ts'
import type { AnyValue, LogRecord, Span } from '../conformance/shapes.ts'
import { attribute, LIMITS, logs, metrics, NOW_NS, span, traces } from '../conformance/small-requests.ts'
import { decodeLogs } from '../decode-logs.ts'
import { decodeMetrics } from '../decode-metrics.ts'
import { decodeTraces } from '../decode-traces.ts'
import { ProtoWriter } from '../proto-writer.ts'
import { BYTES } from '../wire-reader.ts'
import { createRedactor, type Redactor } from './redactor.ts'

function rule(settings: Partial<PrivacyRuleSettings>): PrivacyRuleSettings {
  return {
    ...{ name: 'r', key: null, pattern: null, preset: null, places: [...PRIVACY_PLACES], action: 'redact' as const },
    ...{ enabled: true },
    ...settings,
  }
}

function redactor(...rules: Partial<PrivacyRuleSettings>[]): Redactor {
  const made = createRedactor({ rules: rules.map(rule), hashSecret: 'secret of the Grid' })
  if (!made) throw new Error('The rules apply to nothing.')
  return made
}

function spanOf(over: Span, ...rules: Partial<PrivacyRuleSettings>[]) {
  const columns = new SpanColumns()
  const body = redactor(...rules).redacted('traces', encode('ExportTraceServiceRequest', traces(span(over))))
  decodeTraces(body, LIMITS, columns)
  const [row] = spanRows(columns)
  if (!row) throw new Error('The span was refused.')
  return { ...row, attributes: JSON.parse(row.attributes) }
}

function logOf(over: LogRecord, ...rules: Partial<PrivacyRuleSettings>[]) {
  const columns = new LogColumns()
  const body = redactor(...rules).redacted('logs', encode('ExportLogsServiceRequest', logs(over)))
  decodeLogs(body, LIMITS, columns)
  return logRows(columns)[0]
}

const values = (value: AnyValue) => [{ key: 'user', value }]

describe('whole values', () => {
  it('of a key are replaced, whatever kind they are of', () => {
    const all: AnyValue[] = [
      { stringValue: 'ann' },
      { intValue: '42' },
      { doubleValue: 1.5 },
      { boolValue: true },
      { bytesValue: Uint8Array.of(1) },
      { arrayValue: { values: [{ stringValue: 'ann' }] } },
      { kvlistValue: { values: [attribute('name', 'ann')] } },
      {},
    ]
    for (const value of all)
      expect(spanOf({ attributes: values(value) }, { key: 'USER' }).attributes).toEqual({ user: '[redacted]' })
  })

  it('of other keys stay, and so does the order', () => {
    const attributes = [attribute('a', '1'), attribute('user.id', '7'), attribute('z', '2')]
    const kept = spanOf({ attributes }, { key: 'user.*' }).attributes
    expect(JSON.stringify(kept)).toBe('{"a":"1","user.id":"[redacted]","z":"2"}')
  })

  it('are hashed alike as a text and as a number', () => {
    const hashed = (value: AnyValue) =>
      spanOf({ attributes: values(value) }, { key: 'user', action: 'hash' }).attributes
    expect(hashed({ stringValue: '42' })).toEqual(hashed({ intValue: '42' }))
    expect(hashed({ stringValue: '-9223372036854775808' })).toEqual(hashed({ intValue: '-9223372036854775808' }))
    expect(hashed({ stringValue: '42' })).not.toEqual(hashed({ stringValue: '43' }))
  })

  it('of keys inside of values are known by their own name and by all names', () => {
    const value = { kvlistValue: { values: [attribute('email', 'ann'), attribute('plan', 'free')] } }
    for (const key of ['email', 'user.email', 'user.e*'])
      expect(spanOf({ attributes: values(value) }, { key }).attributes).toEqual({
        user: { email: '[redacted]', plan: 'free' },
      })
  })

  it('of the first rule that means them win', () => {
    const made = spanOf({ attributes: values({ stringValue: 'ann' }) }, { key: 'user' }, { key: 'u*', action: 'hash' })
    expect(made.attributes).toEqual({ user: '[redacted]' })
  })
})

describe('what is found in texts', () => {
  it('is replaced in names, statuses, events, links, resources and nested values', () => {
    const columns = new SpanColumns()
    const request = traces(
      span({
        name: 'mail to a@b.de',
        traceState: 'x=a@b.de',
        status: { code: 2, message: 'no a@b.de' },
        attributes: [{ key: 'to', value: { arrayValue: { values: [{ stringValue: 'a@b.de' }, { intValue: '1' }] } } }],
        events: [{ name: 'a@b.de', timeUnixNano: '1', attributes: [attribute('k', 'a@b.de')] }],
        links: [
          {
            traceId: new Uint8Array(16).fill(4),
            spanId: new Uint8Array(8).fill(5),
            attributes: [attribute('k', 'a@b.de')],
          },
        ],
      }),
    )
    request.resourceSpans?.[0]?.resource?.attributes?.push(attribute('owner', 'a@b.de'))
    const body = redactor({ preset: 'emails' }).redacted('traces', encode('ExportTraceServiceRequest', request))
    expect(Buffer.from(body).toString()).not.toContain('a@b.de')
    decodeTraces(body, LIMITS, columns)
    expect(spanRows(columns)[0]).toMatchObject({
      operation: 'mail to [redacted]',
      traceState: 'x=[redacted]',
      statusMessage: 'no [redacted]',
      attributes: '{"to":["[redacted]",1]}',
      events: '[{"name":"[redacted]","timeUnixNano":"1","attributes":{"k":"[redacted]"}}]',
      origin: { resourceJson: '{"service.name":"shop","owner":"[redacted]"}' },
    })
  })

  it('is replaced in the bodies of logs, of text and of fields', () => {
    const timeUnixNano = String(NOW_NS)
    const text = { timeUnixNano, body: { stringValue: 'paid with 4111 1111 1111 1111' } }
    expect(logOf(text, { preset: 'cards' })?.body).toBe('paid with [redacted]')
    const fields = {
      timeUnixNano,
      body: { kvlistValue: { values: [attribute('user', 'ann'), attribute('x', 'ann')] } },
    }
    expect(logOf(fields, { key: 'user' })?.body).toBe('{"user":"[redacted]","x":"ann"}')
    expect(logOf(fields, { key: 'user', pattern: 'n+' })?.body).toBe('{"user":"a[redacted]","x":"ann"}')
  })

  it('is found in numbers and bytes, which become texts', () => {
    const found = (value: AnyValue) => spanOf({ attributes: values(value) }, { preset: 'cards' }).attributes
    expect(found({ intValue: '4111111111111111' })).toEqual({ user: '[redacted]' })
    expect(found({ doubleValue: 4111111111111111 })).toEqual({ user: '[redacted]' })
    expect(found({ bytesValue: Buffer.from('no. 4111111111111111') })).toEqual({ user: 'no. [redacted]' })
    expect(found({ intValue: '200' })).toEqual({ user: 200 })
  })

  it('is replaced in the attributes of points of every kind', () => {
    const point = { timeUnixNano: String(NOW_NS), attributes: [attribute('user', 'ann')] }
    const request = metrics(
      { name: 'g', gauge: { dataPoints: [{ ...point, asInt: '1' }] } },
      { name: 's', sum: { dataPoints: [{ ...point, asInt: '1' }], aggregationTemporality: 2 } },
      { name: 'h', histogram: { dataPoints: [{ ...point, count: '0' }], aggregationTemporality: 2 } },
      { name: 'e', exponentialHistogram: { dataPoints: [{ ...point, count: '0' }], aggregationTemporality: 2 } },
      { name: 'q', summary: { dataPoints: [point] } },
    )
    const body = redactor({ key: 'user' }).redacted('metrics', encode('ExportMetricsServiceRequest', request))
    const { points } = decodeMetrics(body, LIMITS)
    expect(points.map(({ attributes }) => attributes)).toEqual(Array(5).fill({ user: '[redacted]' }))
  })
})

it('rules look at their places only', () => {
  const over = { name: 'ann', attributes: values({ stringValue: 'ann' }) }
  expect(spanOf(over, { pattern: 'ann', places: ['span-texts'] })).toMatchObject({
    operation: '[redacted]',
    attributes: { user: 'ann' },
  })
  expect(spanOf(over, { pattern: 'ann', places: ['span-attributes'] })).toMatchObject({
    operation: 'ann',
    attributes: { user: '[redacted]' },
  })
  expect(createRedactor({ rules: [rule({ pattern: 'ann', enabled: false })], hashSecret: '' })).toBeUndefined()
})

it('a key that stands behind its value counts, and every value that is sent of it', () => {
  const writer = new ProtoWriter()
  const value = (text: string) =>
    writer.message(2, () => {
      writer.tag(1, BYTES)
      writer.string(text)
    })
  writer.message(1, () =>
    writer.message(2, () =>
      writer.message(2, () =>
        writer.message(9, () => {
          value('first')
          value('second')
          writer.tag(1, BYTES)
          writer.string('user')
        }),
      ),
    ),
  )
  const body = Buffer.from(redactor({ key: 'user' }).redacted('traces', writer.finish())).toString()
  expect(body).toContain('[redacted]')
  expect(body).not.toMatch(/first|second/)
})

describe('any request', () => {
  const REQUESTS = [
    ['traces', 'ExportTraceServiceRequest', tracesRequest],
    ['logs', 'ExportLogsServiceRequest', logsRequest],
    ['metrics', 'ExportMetricsServiceRequest', metricsRequest],
  ] as const

  it.each(REQUESTS)('of %s stays as it is where nothing is found in it', (signal, type, requests) => {
    const applied = redactor({ key: 'never.sent' }, { pattern: 'never sent either' })
    fc.assert(
      fc.property(requests as fc.Arbitrary<object>, (request) => {
        const body = encode(type, request)
        expect(Buffer.compare(applied.redacted(signal, body), body)).toBe(0)
      }),
      { numRuns: 100 },
    )
  })

  it.each(REQUESTS)(
    'of %s has the same shape afterwards, and nothing is found in it again',
    (signal, type, requests) => {
      const applied = redactor({ pattern: '[A-Z0-9!-.]{1,3}' })
      const again = redactor({ pattern: '[A-Z0-9!-.]{1,3}', action: 'hash' })
      fc.assert(
        fc.property(requests as fc.Arbitrary<object>, (request) => {
          const before = decode(type, encode(type, request))
          const body = applied.redacted(signal, encode(type, request))
          expect(shapeOf(decode(type, body))).toEqual(shapeOf(before))
          expect(Buffer.from(again.redacted(signal, body)).toString()).toBe(Buffer.from(body).toString())
        }),
        { numRuns: 100 },
      )
    },
  )
})

/** How many of what there are: all but the texts and values themselves. */
function shapeOf(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(shapeOf)
  if (typeof message !== 'object' || message === null || message instanceof Uint8Array) return 0
  return Object.fromEntries(Object.entries(message).map(([name, content]) => [kindless(name), shapeOf(content)]))
}

/** A number or bytes that something is found in become a text. */
function kindless(name: string): string {
  return /^(string|int|double|bytes)Value$/.test(name) ? 'value' : name
}
