import type { Span } from '../../../domain/span.ts'
import { isOwnName } from '../traces/own-name.ts'
import type { Charge } from './charge.ts'

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
  const isSystem = calls.some(({ origin }) => isSystemCall(inquiry.details.origins.find(origin)))
  return calls.length > 0 && !isSystem && isOwnName(explanation.detail)
}

function isSystemCall(call: Span | undefined): boolean {
  return SYSTEM_KEYS.some((key) => call?.attributes[key] !== undefined)
}
