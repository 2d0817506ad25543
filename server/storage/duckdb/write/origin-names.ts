import type { Origin } from '../../../domain/columns/origin.ts'
import { contentHash } from './fingerprint.ts'

/** Of the texts of all origins that are remembered. */
const REMEMBERED_LENGTH_MAX = 2_000_000

/** What names an origin within the store: a hash of its content, little-endian and in hex. */
export interface OriginName {
  bytes: Uint8Array
  hex: string
}

/** The names of origins. Most requests come from where others came from, and hashing takes as long as decoding dozens of spans. */
export class OriginNames {
  private readonly remembered = new Map<string, OriginName>()
  private rememberedLength = 0

  of(origin: Origin): OriginName {
    const { serviceName, resourceJson, scopeName, scopeVersion } = origin
    // Lengths first, so that no two origins have the same text.
    const lengths = `${serviceName.length} ${resourceJson.length} ${scopeName.length} `
    const content = lengths + serviceName + resourceJson + scopeName + scopeVersion
    const known = this.remembered.get(content)
    if (known) return known
    const name = nameOf(origin)
    this.remember(content, name)
    return name
  }

  private remember(content: string, name: OriginName): void {
    this.rememberedLength += content.length
    if (this.rememberedLength > REMEMBERED_LENGTH_MAX) {
      this.remembered.clear()
      this.rememberedLength = content.length
    }
    this.remembered.set(content, name)
  }
}

function nameOf({ serviceName, resourceJson, scopeName, scopeVersion }: Origin): OriginName {
  const bytes = contentHash(serviceName, resourceJson, scopeName, scopeVersion).subarray(0, 8)
  return { bytes, hex: Buffer.from(bytes).toString('hex') }
}
