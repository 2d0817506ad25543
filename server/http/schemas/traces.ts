import Type from 'typebox'
import { pageOf, paging } from './paging.ts'
import {
  attributes,
  attributeValue,
  datetimeIn,
  datetimeOut,
  dictionary,
  fields,
  integer,
  severityLevel,
  text,
} from './values.ts'

const ID_EXAMPLES = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }

const traceIdOut = Type.String({ examples: [ID_EXAMPLES.trace] })
const spanIdOut = Type.String({ examples: [ID_EXAMPLES.span] })
const parentSpanId = Type.Union([Type.String(), Type.Null()], { description: 'Null for a root span.' })
const durationMs = Type.Integer({ description: 'Whole milliseconds.', examples: [42] })
const status = Type.Enum(['OK', 'ERROR'])
const spanKind = Type.Enum(['INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'])

export const traceListFilter = fields({
  rangeStart: datetimeIn('Spans that begin at or after it.'),
  rangeEnd: datetimeIn('Spans that begin before it.'),
  serviceName: Type.Optional(text('Exactly this service.')),
  operationName: Type.Optional(text('Exactly this operation.', 4096)),
  minDuration: Type.Optional(integer('At least this long, in whole milliseconds.', 0)),
  maxDuration: Type.Optional(integer('At most this long, in whole milliseconds.', 0)),
  status: Type.Optional(Type.Enum(['OK', 'ERROR'], { description: 'OK is every span whose status is not ERROR.' })),
  tags: Type.Optional(
    dictionary(attributeValue, {
      description:
        'Attributes of the span or of its resource, all of which must have these values. They are compared as text: 502 matches the number and the string.',
      maxProperties: 64,
    }),
  ),
  ...paging,
})

export const traceSearchResult = pageOf(
  fields({
    traceId: traceIdOut,
    spanId: spanIdOut,
    serviceName: Type.String({ examples: ['checkout'] }),
    operationName: Type.String({ examples: ['POST /orders'] }),
    duration: durationMs,
    status,
    startTime: datetimeOut(),
    endTime: datetimeOut(),
  }),
  {
    items: 'One item per trace: its earliest span that matches. Newest first.',
    totalCount: 'How many traces match, exactly.',
  },
)

export const spanDetail = fields({
  traceId: traceIdOut,
  spanId: spanIdOut,
  parentSpanId,
  serviceName: Type.String(),
  operationName: Type.String(),
  spanKind,
  status,
  statusMessage: Type.String(),
  startTime: datetimeOut(),
  endTime: datetimeOut(),
  duration: durationMs,
  attributes,
})

export const traceFilterOptions = fields({
  serviceNames: Type.Array(Type.String()),
  operationNames: Type.Array(Type.String(), { description: 'The 1,000 most used ones, sorted by name.' }),
  statusValues: Type.Array(status),
  tagKeys: Type.Array(Type.String(), { description: 'The 1,000 most used ones, sorted by name.' }),
})

export const traceSpanList = fields({
  traceId: traceIdOut,
  spans: Type.Array(
    fields({
      spanId: spanIdOut,
      parentSpanId,
      serviceName: Type.String(),
      operationName: Type.String(),
      spanKind,
      status,
      startTime: datetimeOut(),
      duration: durationMs,
    }),
  ),
})

export const traceLogs = fields({
  traceId: traceIdOut,
  logs: Type.Array(
    fields({
      timestamp: datetimeOut(),
      severityLevel,
      body: Type.String(),
      serviceName: Type.String(),
      spanId: Type.String({ description: 'Empty where the record belongs to no span.' }),
      attributes,
    }),
  ),
})

export const traceErrors = fields({
  traceId: traceIdOut,
  errors: Type.Array(
    fields({
      timestamp: datetimeOut('Of the exception; of the end of a failed span that recorded none.'),
      spanId: Type.String({ description: 'Empty for a log record that belongs to no span.' }),
      serviceName: Type.String(),
      exceptionType: Type.String({ examples: ['java.net.SocketTimeoutException'] }),
      message: Type.String(),
      stackTrace: Type.String(),
      attributes,
    }),
  ),
})

export const spanTags = fields({ spanId: spanIdOut, tags: attributes })

export const spanEvents = fields({
  spanId: spanIdOut,
  events: Type.Array(fields({ name: Type.String(), timestamp: datetimeOut(), attributes })),
})
