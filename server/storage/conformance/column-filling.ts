import { createHash } from 'node:crypto'
import type { Attributes } from '../../domain/attributes.ts'
import type { Origin } from '../../domain/columns/origin.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'

/** What spans, logs and metric points have in common in their literals. */
export interface OriginLiteral {
  service?: string
  /** In addition to `service.name`, which is always there. */
  resource?: Attributes
  scopeName?: string
  scopeVersion?: string
}

export interface OriginFields {
  serviceName: string
  resource: Attributes
  scopeName: string
  scopeVersion: string
}

export function originFieldsOf(literal: OriginLiteral): OriginFields {
  const serviceName = literal.service ?? 'shop'
  return {
    serviceName,
    resource: { 'service.name': serviceName, ...literal.resource },
    scopeName: literal.scopeName ?? '',
    scopeVersion: literal.scopeVersion ?? '',
  }
}

/** The index of the literal's origin among `origins`, where it is added if it is new. */
export function originIndexOf(origins: Origin[], literal: OriginLiteral): number {
  const { resource, ...fields } = originFieldsOf(literal)
  const origin: Origin = { ...fields, resourceJson: JSON.stringify(resource) }
  const known = origins.findIndex(
    (other) =>
      other.resourceJson === origin.resourceJson &&
      other.serviceName === origin.serviceName &&
      other.scopeName === origin.scopeName &&
      other.scopeVersion === origin.scopeVersion,
  )
  return known === -1 ? origins.push(origin) - 1 : known
}

/** Ids in literals are short: `a1` stands for the id that ends so and begins with zeroes. */
export function traceIdOf(short: string): string {
  return short.padStart(32, '0')
}

export function spanIdOf(short: string): string {
  return short.padStart(16, '0')
}

export function setId(column: Uint8Array, row: number, hex: string): void {
  column.set(Buffer.from(hex, 'hex'), (row * hex.length) / 2)
}

export function pushText(column: TextColumn, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  column.pushBytes(bytes, 0, bytes.length)
}

export function attributesJson(attributes: Attributes): string {
  return Object.keys(attributes).length === 0 ? '' : JSON.stringify(attributes)
}

/** As two halves: equal keys in the same order make an equal set. */
export function keySetOf(attributes: Attributes): [low: number, high: number] {
  const hash = createHash('md5')
    .update(JSON.stringify(Object.keys(attributes)))
    .digest()
  return [hash.readUInt32LE(0), hash.readUInt32LE(4)]
}
