import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { ACCEPTS } from './schemas/values.ts'

/** The keywords of JSON Schema that our schemas use. */
interface Described {
  type?: string
  enum?: readonly unknown[]
  anyOf?: Described[]
  properties?: Record<string, Described>
  additionalProperties?: boolean | Described
  items?: Described
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  [ACCEPTS]?: string
}

const FIELDS_NAMED_MAX = 5
const NAME_LENGTH_MAX = 64

/** One sentence on the first thing that is wrong: the field by name, and what it accepts. */
export function violationOf(schema: TSchema, value: unknown, errors: TLocalizedValidationError[]): string {
  const described = schema as Described
  // An unknown field is also reported as a value that nothing accepts, which says less.
  const error = errors.find(({ keyword }) => keyword !== 'boolean')
  if (!error) return 'It is not as it should be.'
  const path = segmentsOf(error.instancePath)
  if (error.keyword === 'required') {
    const missing = [...path, error.params.requiredProperties[0] ?? '']
    return `${shown(missing)} is required: ${accepted(at(described, missing))}.`
  }
  if (error.keyword === 'additionalProperties') {
    const unknown = error.params.additionalProperties.slice(0, FIELDS_NAMED_MAX).map((name) => shown([...path, name]))
    const known = Object.keys(at(described, path)?.properties ?? {})
    return `Unknown: ${unknown.join(', ')}. Accepted: ${known.join(', ')}.`
  }
  if (path.length === 0) return value ? 'The body must be a JSON object.' : 'A JSON object is required as the body.'
  return `${shown(path)} must be ${accepted(at(described, path))}.`
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function shown(path: string[]): string {
  return path.map((name) => (name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name)).join('.')
}

function at(schema: Described, path: string[]): Described | undefined {
  return path.reduce<Described | undefined>((found, name) => {
    if (!found) return undefined
    const { properties = {}, additionalProperties, items } = found
    if (Object.hasOwn(properties, name)) return properties[name]
    return items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  }, schema)
}

function accepted(schema: Described | undefined): string {
  if (!schema) return 'something else'
  if (schema[ACCEPTS]) return schema[ACCEPTS]
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.anyOf) return schema.anyOf.map(accepted).join(' or ')
  switch (schema.type) {
    case 'integer':
      return `an integer${range(schema.minimum, schema.maximum)}`
    case 'number':
      return `a number${numberRange(schema)}`
    case 'string':
      return `a string${range(schema.minLength, schema.maxLength, ' characters')}`
    case 'array':
      return `an array${range(schema.minItems, schema.maxItems, ' different items')}: ${accepted(schema.items)}`
    case 'object':
      return `an object${range(undefined, schema.maxProperties, ' fields')}${valuesOf(schema)}`
    case 'null':
      return 'null'
    default:
      return `a ${schema.type ?? 'value'}`
  }
}

function valuesOf({ additionalProperties }: Described): string {
  return typeof additionalProperties === 'object' ? `, each value ${accepted(additionalProperties)}` : ''
}

function numberRange({ exclusiveMinimum: above, minimum, maximum }: Described): string {
  if (above === undefined) return range(minimum, maximum)
  return maximum === undefined ? ` above ${above}` : ` above ${above} up to ${maximum}`
}

function range(least: number | undefined, most: number | undefined, unit = ''): string {
  const bounded = most !== undefined && most !== Number.MAX_SAFE_INTEGER
  if (least !== undefined && bounded) return ` of ${least} to ${most}${unit}`
  if (least !== undefined) return ` of at least ${least}${unit}`
  return bounded ? ` of at most ${most}${unit}` : ''
}
