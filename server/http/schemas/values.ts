import Type, { type TProperties, type TSchema } from 'typebox'
import { ROLES, SCOPES, SUBSCRIPTION_STATES } from '../../control/control-store.ts'
import { SEVERITY_LEVELS } from '../../domain/log-record.ts'
import { isDatetime } from '../datetime.ts'

/** Text that a schema carries for error messages: what is accepted, as the end of "x must be …". */
export const ACCEPTS = 'x-accepts'

/** An object that holds these fields and no others: what else a request has is refused, and an answer has nothing else. */
export function fields<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

export function text(description: string, lengthMax = 1024) {
  return Type.String({ description, maxLength: lengthMax })
}

export function name(description: string, lengthMax = 200) {
  return Type.String({ description, minLength: 1, maxLength: lengthMax, pattern: '\\S' })
}

export function integer(description: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return Type.Integer({ description, minimum, maximum })
}

export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

const HEX = '[0-9a-fA-F]'

export const gridId = Type.String({
  description: 'The Grid, a UUID in any letter case.',
  [ACCEPTS]: 'a UUID',
  examples: ['0b5f0a52-6a5c-4c1e-9d8e-3c1f6a7d2e11'],
})

export const spanId = Type.String({
  description: 'A span: 16 hex digits in any letter case.',
  pattern: `^${HEX}{16}$`,
  [ACCEPTS]: '16 hex digits',
  examples: ['00f067aa0ba902b7'],
})

export const traceId = Type.String({
  description: 'A trace: 32 hex digits in any letter case.',
  pattern: `^${HEX}{32}$`,
  [ACCEPTS]: '32 hex digits',
  examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
})

/** A datetime of a request; `parseDatetime` reads what passes. */
export function datetimeIn(description: string) {
  const schema = Type.String({
    description: `${description} ISO 8601, with an offset or \`Z\`; without one it is UTC.`,
    maxLength: 64,
    [ACCEPTS]: 'an ISO 8601 datetime such as 2024-05-01T12:00:00Z',
    examples: ['2024-05-01T12:00:00Z'],
  })
  return Type.Refine(schema, isDatetime)
}

/** A datetime of an answer: UTC, with milliseconds. */
export function datetimeOut(description?: string) {
  return Type.String({
    format: 'date-time',
    examples: ['2024-05-01T12:00:00.000Z'],
    ...(description === undefined ? {} : { description }),
  })
}

/** An object with keys of the caller's choice. */
export function dictionary<S extends TSchema>(values: S, options: { description: string; maxProperties?: number }) {
  return Type.Unsafe<Record<string, Type.Static<S>>>({ type: 'object', additionalProperties: values, ...options })
}

export const attributeValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

export const attributes = dictionary(attributeValue, {
  description:
    'Strings, numbers and booleans as they were sent; arrays and maps as JSON text, bytes as base64, integers beyond 2^53 as strings, an attribute without a value as an empty string.',
})

export const severityLevel = Type.Enum([...SEVERITY_LEVELS])

export const role = Type.Enum(ROLES, { description: 'What a caller may do on a Grid.' })
export const scope = Type.Enum(SCOPES)
export const subscriptionState = Type.Enum(SUBSCRIPTION_STATES)
