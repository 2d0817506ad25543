import type { Attributes } from '../../../domain/attributes.ts'
import { attributesOf } from './span-rows-read.ts'

/** For as long as one question is answered: records that say the same share what was parsed once. */
export class ParsedAttributes {
  private readonly parsed = new Map<string, Attributes>()

  of(json: string): Attributes {
    const known = this.parsed.get(json)
    if (known) return known
    const attributes = attributesOf(json)
    this.parsed.set(json, attributes)
    return attributes
  }
}
