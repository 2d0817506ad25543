import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'
import { openOrigins } from './span-rows-read.ts'

/** A key and the text that its value must equal, in the attributes of a record or of its resource. */
export type Tag = [key: string, value: string]

/** What the conditions below name. */
export function tagParameters(tags: Tag[]): Record<string, string> {
  return Object.fromEntries(
    tags.flatMap(([key, value], i) => [
      [`path${i}`, jsonPointer(key)],
      [`value${i}`, value],
    ]),
  )
}

/** Origins are looked up first, so that the big scan compares numbers. `never` stands for none that has the value. */
export async function sealedTagConditions(scope: Scope, alias: string, tags: Tag[], never: string): Promise<string[]> {
  const parameters = tagParameters(tags)
  const conditions: string[] = []
  for (const [i, [, value]] of tags.entries()) {
    const origins = await scope.session.rows(
      `SELECT origin_no FROM ${alias}.origins WHERE ${equals('resource', i, value)}`,
      parameters,
    )
    const numbers = origins.map((row) => row['origin_no'])
    const inResource = numbers.length > 0 ? `origin_no IN (${numbers.join(', ')})` : never
    conditions.push(`(${inAttributes(i, value)} OR ${inResource})`)
  }
  return conditions
}

export function openTagConditions(unit: HourUnit, tags: Tag[]): string[] {
  const origins = openOrigins(unit)
  return tags.map(([, value], i) => {
    const inResource = `origin IN (SELECT origin FROM ${origins} WHERE ${equals('resource', i, value)})`
    return `(${inAttributes(i, value)} OR ${inResource})`
  })
}

function inAttributes(i: number, value: string): string {
  return `(${mayHold('attributes', i, value)}coalesce(${equals('attributes', i, value)}, false))`
}

/** A condition to stand before another one that takes longer. */
export function mayHold(json: string, i: number, value: string): string {
  return isWrittenAsIs(value) ? `contains(${json}, $value${i}) AND ` : ''
}

/** Such a value stands in the JSON of attributes letter for letter, so a search for the text rules most rows out cheaply. */
function isWrittenAsIs(value: string): boolean {
  return /^[\w .:@/-]+$/.test(value) && !isExponent(value)
}

/** Numbers with an exponent are written otherwise by the database than by us, so there the number counts, not its text. */
export function equals(json: string, i: number, value: string): string {
  const text = `json_extract_string(nullif(${json}, ''), $path${i})`
  const sameNumber = `OR (json_type(nullif(${json}, ''), $path${i}) = 'DOUBLE' AND ${text}::DOUBLE = $value${i}::DOUBLE)`
  return `(${text} = $value${i} ${isExponent(value) ? sameNumber : ''})`
}

function isExponent(value: string): boolean {
  return value.includes('e') && String(Number(value)) === value
}

/** RFC 6901: the key as it is, whatever characters it has. */
export function jsonPointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
