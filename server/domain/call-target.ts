import type { Attributes } from './attributes.ts'

/** Whom a call's attributes name. Each is empty where they name no one. */
export interface CallTarget {
  /** What may be the name of a service. */
  named: string
  /** What is called where no service of that name is known: a database, a broker, a remote interface, a host. */
  dependency: string
}

export const NO_CALL_TARGET: CallTarget = { named: '', dependency: '' }

/** All keys that take part. */
export const CALL_TARGET_KEYS = [
  'peer.service',
  'server.address',
  'db.system.name',
  'db.system',
  'db.namespace',
  'db.name',
  'messaging.system',
  'messaging.destination.name',
  'messaging.destination',
  'rpc.service',
  'net.peer.name',
  'url.full',
  'http.url',
]

/** By the current and the former semantic conventions. Only texts count, and only those that are not empty. */
export function callTarget(attributes: Attributes): CallTarget {
  const first = (...keys: string[]): string => keys.map((key) => textOf(attributes, key)).find(Boolean) ?? ''
  return {
    named: first('peer.service', 'server.address'),
    dependency:
      within(first('db.system.name', 'db.system'), first('db.namespace', 'db.name')) ||
      within(first('messaging.system'), first('messaging.destination.name', 'messaging.destination')) ||
      first('rpc.service', 'server.address', 'net.peer.name') ||
      hostOf(first('url.full')) ||
      hostOf(first('http.url')) ||
      first('peer.service'),
  }
}

function textOf(attributes: Attributes, key: string): string {
  const value = attributes[key]
  return typeof value === 'string' ? value : ''
}

/** A part means nothing without the system that it is a part of. */
function within(system: string, part: string): string {
  return system === '' || part === '' ? system : `${system}/${part}`
}

/** Without the port; empty where the text is no URL with a host. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}
