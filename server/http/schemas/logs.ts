import Type from 'typebox'
import { pageOf, paging } from './paging.ts'
import {
  ACCEPTS,
  attributes,
  attributeValue,
  datetimeIn,
  datetimeOut,
  dictionary,
  fields,
  orNull,
  severityLevel,
  spanId,
  text,
  traceId,
} from './values.ts'

export const logId = Type.String({
  description: "A log entry's id (32 hex digits), or a span's (16), in any letter case.",
  pattern: '^([0-9a-fA-F]{32}|[0-9a-fA-F]{16})$',
  [ACCEPTS]: "a log entry's id of 32 hex digits or a span's of 16",
  examples: ['9c1d6e0f7a3b4c5d8e9fa0b1c2d3e4f5'],
})

const range = {
  rangeStart: datetimeIn('Entries written at or after it.'),
  rangeEnd: datetimeIn('Entries written before it.'),
}

const common = {
  severityLevel: Type.Optional(
    Type.Enum(severityLevel.enum, {
      description: 'Exactly this level. An entry without a severity counts as Information.',
    }),
  ),
  serviceName: Type.Optional(text('Exactly this service.')),
  body: Type.Optional(
    text(
      'Words, separated by white space, all of which must occur in the body: in any order, in upper or lower case of any script, and also as a part of a longer word, so that `time` finds `Timeout`, `连接` finds `数据库连接失败`, and half an id finds the whole one. No character has a special meaning.',
    ),
  ),
}

export const logListFilter = fields({
  ...range,
  ...common,
  traceId: Type.Optional(traceId),
  spanId: Type.Optional(spanId),
  attributes: Type.Optional(
    dictionary(attributeValue, {
      description:
        'Attributes of the entry or of its resource, all of which must have these values. They are compared as text: 502 matches the number and the string.',
      maxProperties: 64,
    }),
  ),
  ...paging,
})

const item = {
  id: Type.String({
    description: 'Stays the same for as long as the entry is kept.',
    examples: ['9c1d6e0f7a3b4c5d8e9fa0b1c2d3e4f5'],
  }),
  timestamp: datetimeOut(),
  severityLevel,
  body: Type.String(),
  serviceName: Type.String({ examples: ['checkout'] }),
  traceId: Type.String({ description: 'Empty where the entry belongs to no trace.' }),
  spanId: Type.String({ description: 'Empty where the entry belongs to no span.' }),
  attributes,
}

export const logSearchResult = pageOf(fields(item), {
  items: 'Newest first; entries of the same nanosecond by id.',
  totalCount: 'How many entries match, exactly.',
})

export const logDetail = fields({
  ...item,
  severityNumber: Type.Integer({
    description: 'As OpenTelemetry numbers severities, 1 to 24; 0 where none was given.',
  }),
  resource: attributes,
})

export const logPatternQuery = { ...range, ...common, ...paging }

export const logPatternResult = pageOf(
  fields({
    pattern: Type.String({
      description: 'What the bodies have in common; `<*>` stands for what differs.',
      examples: ['payment <*> of customer <*> took <*> ms'],
    }),
    severityLevel,
    serviceName: Type.String({ examples: ['checkout'] }),
    count: Type.Integer({ description: 'How many entries of the range have this pattern, exactly.' }),
    firstSeen: datetimeOut('Of the first such entry in the range.'),
    lastSeen: datetimeOut('Of the last such entry in the range.'),
    example: orNull(fields(item)),
  }),
  { items: 'Most common first, then the one seen last.', totalCount: 'How many patterns there are.' },
)

export const logFilterOptions = fields({
  severityLevels: Type.Array(severityLevel, { description: 'By rank, from Trace to Fatal.' }),
  serviceNames: Type.Array(Type.String()),
  attributeKeys: Type.Array(Type.String(), {
    description: 'Of entries and their resources: the 1,000 most used ones, sorted by name.',
  }),
})
