import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import { namesIdentity } from './identity-attributes.ts'

/** What a resource tells about the service that runs as it. */
export interface Traits {
  /** Empty where it has none. */
  version: string
  instance: string
  /** How it is set up: equal for resources that differ in nothing but their identity. */
  configuration: string
}

const INSTANCE_KEYS = ['service.instance.id', 'k8s.pod.name', 'host.name']
const SETTINGS_MAX = 40
const TEXT_MAX = 200

export function traitsOf(resource: Attributes): Traits {
  return {
    version: clipped(textOf(resource['service.version'])),
    instance: clipped(INSTANCE_KEYS.map((key) => textOf(resource[key])).find((text) => text !== '') ?? ''),
    configuration: JSON.stringify(settingsOf(resource)),
  }
}

/** The settings in a `configuration`. */
export function settingsIn(configuration: string): Map<string, string> {
  return new Map(JSON.parse(configuration) as [string, string][])
}

function settingsOf(resource: Attributes): [string, string][] {
  return Object.entries(resource)
    .map(([key, value]): [string, string] => [clipped(key), clipped(textOf(value))])
    .filter(([key, value]) => value !== '' && !namesIdentity(key, value))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, SETTINGS_MAX)
}

function textOf(value: AttributeValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function clipped(text: string): string {
  return text.slice(0, TEXT_MAX)
}
