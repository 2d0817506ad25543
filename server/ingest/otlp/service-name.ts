import { UNKNOWN_SERVICE } from '../../domain/columns/origin.ts'
import { plainOf } from './plain-text.ts'

const KNOWN_MAX = 1024
/** More than most resources have; beyond it the name is looked for every time. */
const KNOWN_TEXT_MAX = 2048

/** Names by resources: a service sends the same one with every request. */
const known = new Map<string, string>()

/** What a resource calls its service. */
export function serviceNameOf(resourceJson: string): string {
  const knownName = known.get(resourceJson)
  if (knownName !== undefined) return knownName
  const name = nameIn(resourceJson)
  if (resourceJson.length > KNOWN_TEXT_MAX) return name
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(resourceJson, name)
  return name
}

function nameIn(resourceJson: string): string {
  if (!resourceJson.includes('"service.name"')) return UNKNOWN_SERVICE
  const name: unknown = JSON.parse(resourceJson)['service.name']
  return typeof name === 'string' && name !== '' ? plainOf(name) : UNKNOWN_SERVICE
}
