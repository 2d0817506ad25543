import type { Random } from './random.ts'
import { ANY_INTEGER, type AttributeValue, attributesOf, nameOf } from './span-attributes.ts'
import type { PlannedSpan } from './trace-plan.ts'
import { WireWriter } from './wire-writer.ts'

const KINDS = { internal: 1, server: 2, 'http-client': 3, database: 3, producer: 4, consumer: 5 }
const ERROR = 2

const EXCEPTIONS = [
  ['TimeoutError', 'no answer from 10.0.{digits 2}.{digits 2} within 2000 ms'],
  ['ConnectionRefusedError', 'connect ECONNREFUSED 10.1.{digits 2}.{digits 2}:5432'],
  ['ValidationError', 'field "quantity" of item {hex 10} must be at least 1'],
  ['PoolExhaustedError', 'no connection became free within 500 ms (in use: 20, waiting: {digits 2})'],
] as const

/** opentelemetry.proto.trace.v1.Span, with blanks for what differs each time it is sent. */
export function encodeSpan(span: PlannedSpan, random: Random): WireWriter {
  const writer = new WireWriter().id(1, 'traceId').id(2, 'spanId')
  if (span.parent >= 0) writer.id(4, 'parentId')
  writer.string(5, nameOf(span)).integer(6, KINDS[span.kind]).time(7, 'startNs').time(8, 'endNs')
  for (const [key, value] of Object.entries(attributesOf(span, random))) writer.message(9, keyValue(key, value))
  const [type, message] = random.pick(EXCEPTIONS)
  if (span.hasException) writer.message(11, exceptionEvent(span, type, message))
  if (span.failed) writer.message(15, new WireWriter().template(2, message).integer(3, ERROR))
  return writer
}

/** opentelemetry.proto.common.v1.KeyValue */
export function keyValue(key: string, value: AttributeValue): WireWriter {
  const any = new WireWriter()
  if (value === ANY_INTEGER) any.anyInteger(3)
  else if (typeof value === 'number') any.integer(3, value)
  else any.template(1, value)
  return new WireWriter().string(1, key).message(2, any)
}

function exceptionEvent(span: PlannedSpan, type: string, message: string): WireWriter {
  const place = `/srv/app/dist/modules/${span.service.name}`
  const stack = ['handle', 'dispatch', 'process', 'run'].map(
    (name, i) => `    at ${name} (${place}/${name}.js:${40 + i}:15)`,
  )
  return new WireWriter()
    .time(1, 'eventNs')
    .string(2, 'exception')
    .message(3, keyValue('exception.type', type))
    .message(3, keyValue('exception.message', message))
    .message(3, keyValue('exception.stacktrace', [`${type}: ${message}`, ...stack].join('\n')))
}
