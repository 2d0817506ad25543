import { jsonPointer } from '../traces/tag-conditions.ts'

/**
 * Attributes of a record as SQL, by the names that a caller gives: as parameters only. Own ones come before those of the
 * resource; `natural` are those that records have by their nature, with what stands for them.
 */
export class AttributeTexts {
  readonly parameters: Record<string, string> = {}
  private readonly natural: Record<string, string>

  constructor(natural: Record<string, string>) {
    this.natural = natural
  }

  /** Null where there is no such attribute. */
  text(key: string): string {
    const natural = this.natural[key]
    if (natural !== undefined) return natural
    const path = this.parameter('path', jsonPointer(key))
    const textIn = (json: string) => `json_extract_string(nullif(${json}, ''), ${path})`
    return `coalesce(${textIn('attributes')}, ${textIn('resource')})`
  }

  /** The condition that every attribute has its value. */
  matching(filter: Record<string, string>): string {
    const conditions = Object.entries(filter).map(
      ([key, value]) => `${this.text(key)} = ${this.parameter('value', value)}`,
    )
    return conditions.length === 0 ? 'true' : conditions.join(' AND ')
  }

  parameter(kind: string, value: string): string {
    const name = `${kind}${Object.keys(this.parameters).length}`
    this.parameters[name] = value
    return `$${name}`
  }
}
