import { crash, networkDelay, queueCascade, retryStorm, trafficSurge } from './between.ts'
import { configurationChange } from './changed-settings.ts'
import { dependencyFailing, dependencyGone, dependencySlow, rateLimiting } from './dependencies.ts'
import { errorReturn, exception, slowCode } from './own-code.ts'
import { badCustomer, badInstance, badRegion, badVersion } from './parts.ts'
import {
  afterBlip,
  harmlessDeployment,
  harmlessScaling,
  harmlessSettings,
  noise,
  recurringJob,
  rhythm,
  steadyErrors,
} from './quiet.ts'
import { cpuSaturation, memoryLeak, poolExhaustion, threadExhaustion } from './resources.ts'
import { gradualSlowness, twoFaults } from './several.ts'
import type { PlanFault } from './stage.ts'

/** Every kind of fault that can be planted. */
export const FAULT_KINDS: Record<string, PlanFault> = {
  'slow-code': slowCode,
  exception,
  'error-return': errorReturn,
  'cpu-saturation': cpuSaturation,
  'memory-leak': memoryLeak,
  'pool-exhaustion': poolExhaustion,
  'thread-exhaustion': threadExhaustion,
  'dependency-slow': dependencySlow,
  'dependency-failing': dependencyFailing,
  'dependency-gone': dependencyGone,
  'rate-limiting': rateLimiting,
  crash,
  'network-delay': networkDelay,
  'bad-instance': badInstance,
  'bad-version': badVersion,
  'bad-region': badRegion,
  'bad-customer': badCustomer,
  'retry-storm': retryStorm,
  'traffic-surge': trafficSurge,
  'configuration-change': configurationChange,
  'queue-cascade': queueCascade,
  'two-faults': twoFaults,
  'gradual-slowness': gradualSlowness,
}

/** Ordinary days. */
export const QUIET_KINDS: Record<string, PlanFault> = {
  'quiet-noise': noise,
  'quiet-rhythm': rhythm,
  'quiet-deployment': harmlessDeployment,
  'quiet-scaling': harmlessScaling,
  'quiet-settings': harmlessSettings,
  'quiet-errors': steadyErrors,
  'quiet-job': recurringJob,
  'quiet-after-blip': afterBlip,
}
