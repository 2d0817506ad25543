/** Every cause that a diagnosis can begin with, and what it means. The phrases are part of the API. */
export const CAUSES = {
  cpuSaturation: { phrase: 'CPU saturation', means: 'work waits for the processor' },
  memoryPressure: { phrase: 'Memory pressure', means: 'memory is used up, or collected all the time' },
  networkDelay: { phrase: 'Network delay', means: 'time passes between a call and the service that answers it' },
  exception: { phrase: 'Exception', means: 'code throws where it did not before' },
  errorReturn: { phrase: 'Error return', means: 'a service answers with failures without throwing' },
  slowCode: { phrase: 'Slow code', means: 'a service takes longer itself, or asks more often than it did' },
  slowDependency: { phrase: 'Slow dependency', means: 'something outside answers late' },
  failingDependency: { phrase: 'Failing dependency', means: 'something outside fails or cannot be reached' },
  unreachableService: {
    phrase: 'Unreachable service',
    means: 'a service no longer answers: crashed, stopped or cut off',
  },
  badDeployment: { phrase: 'Bad deployment', means: 'a new version is worse than the one before' },
  badInstance: { phrase: 'Bad instance', means: 'one instance is ill, the others are well' },
  badConfiguration: { phrase: 'Bad configuration', means: 'the trouble began with changed settings' },
  trafficSurge: { phrase: 'Traffic surge', means: 'more requests come than can be served' },
  connectionPoolExhaustion: { phrase: 'Connection pool exhaustion', means: 'requests wait for a connection' },
  threadPoolExhaustion: { phrase: 'Thread pool exhaustion', means: 'requests wait for a thread or an event loop' },
  queueBacklog: { phrase: 'Queue backlog', means: 'messages come faster than they are taken' },
  rateLimiting: { phrase: 'Rate limiting', means: 'calls are refused because there are too many of them' },
  retryStorm: { phrase: 'Retry storm', means: 'callers repeat failed calls and add to the load' },
  unusualBehaviour: { phrase: 'Unusual behaviour', means: 'trouble begins here, and no other cause explains it' },
} as const

export type CauseKey = keyof typeof CAUSES

/** `Connection pool exhaustion in payments (pay-primary)`. */
export function wordCause(cause: CauseKey, serviceName: string, detail: string): string {
  return `${CAUSES[cause].phrase} in ${serviceName}${detail === '' ? '' : ` (${detail})`}`
}
