import type { Charge } from './charge.ts'

/** A name of one's own network: without a domain, or with one that nobody else can reach. */
const OWN_NAME = /^[^./]+$|\.(internal|local|svc|lan|intranet)$/
const SYSTEM_KEYS = ['db.system.name', 'db.system', 'messaging.system']

/**
 * Whether what is blamed outside is a service of one's own that sends no telemetry: it may wait for others in its turn, which a
 * database, a broker or somebody else's interface does not.
 */
export function blamesHiddenService({ inquiry, explanation }: Charge): boolean {
  if (explanation.cause !== 'slowDependency' && explanation.cause !== 'failingDependency') return false
  const calls = inquiry.suspect.votes.filter(
    ({ place }) => place.at === 'call' && place.targetName === explanation.detail,
  )
  const isSystem = calls.some(({ origin }) => SYSTEM_KEYS.some((key) => origin.attributes[key] !== undefined))
  return calls.length > 0 && !isSystem && OWN_NAME.test(explanation.detail)
}
