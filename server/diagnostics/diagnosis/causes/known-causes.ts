import { badConfiguration } from './bad-configuration.ts'
import { badDeployment } from './bad-deployment.ts'
import { badInstance } from './bad-instance.ts'
import { brokenHabit } from './broken-habit.ts'
import { connectionPoolExhaustion } from './connection-pool.ts'
import { failingDependency, rateLimitedDependency } from './failing-dependency.ts'
import type { CauseFinder, Explanation, Inquiry } from './inquiry.ts'
import { errorReturn, exception, rateLimitingInside } from './inside.ts'
import { networkDelay } from './network-delay.ts'
import { resourceJump } from './resource-jump.ts'
import { retryStorm } from './retry-storm.ts'
import { cpuSaturation, memoryPressure, queueBacklog, threadPoolExhaustion } from './saturation.ts'
import { slowCode } from './slow-code.ts'
import { slowDependency } from './slow-dependency.ts'
import { trafficSurge } from './traffic-surge.ts'
import { unreachableService } from './unreachable-service.ts'
import { unusualBehaviour } from './unusual-behaviour.ts'

/** Those that need no bad requests to look at. */
const SIGN_FINDERS: CauseFinder[] = [resourceJump, networkDelay, brokenHabit]
/** Those that spans which broke a habit tell as well. */
const PART_FINDERS: CauseFinder[] = [badDeployment, badInstance]

/** On a tie the first one wins. */
const FINDERS: CauseFinder[] = [
  badDeployment,
  badInstance,
  unreachableService,
  trafficSurge,
  connectionPoolExhaustion,
  rateLimitedDependency,
  slowDependency,
  failingDependency,
  badConfiguration,
  rateLimitingInside,
  memoryPressure,
  cpuSaturation,
  threadPoolExhaustion,
  retryStorm,
  queueBacklog,
  exception,
  errorReturn,
  slowCode,
  ...SIGN_FINDERS,
]

/** Everything that could be the cause, best first; where it is nothing that is known, that. */
export function explanationsOf(inquiry: Inquiry): Explanation[] {
  const { votes, habits } = inquiry.suspect
  const withoutVotes = habits.length > 0 ? [...PART_FINDERS, badConfiguration, ...SIGN_FINDERS] : SIGN_FINDERS
  const finders = votes.length === 0 ? withoutVotes : FINDERS
  const found = finders.flatMap((find) => find(inquiry) ?? []).toSorted((a, b) => b.strength - a.strength)
  return found.length > 0 ? found : [unusualBehaviour(inquiry) ?? []].flat()
}
