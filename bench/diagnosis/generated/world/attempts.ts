import type { CallLimits } from '../system/generated-system.ts'
import type { Frame, Reply } from './visit.ts'
import type { World } from './world.ts'

const BACKOFF_MS = 50

/** Tries until it succeeds or the retries are used up; a call that can be done without never fails. */
export function attempts(
  world: World,
  frame: Frame,
  limits: CallLimits & { target: string },
  startMs: number,
  attempt: (atMs: number, timeoutMs: number, number: number) => Reply,
): Reply {
  const { instance } = frame
  const { target, isOptional } = limits
  const retries = world.first((each) => each.retries?.(instance, target, limits.retries)) ?? limits.retries
  let nowMs = startMs
  for (let number = 0; ; number++) {
    const timeoutMs = world.first((each) => each.timeoutMs?.(instance, limits.timeoutMs, nowMs)) ?? limits.timeoutMs
    const { endMs, failure } = attempt(nowMs, timeoutMs, number)
    if (failure === undefined) return { endMs, failure }
    const isPassing = failure.status === 503 || failure.status === 504
    if (number >= retries || !isPassing) {
      if (isOptional) world.recorder.log(frame, 'warn', `went on without ${target}: ${failure.message}`, endMs)
      return { endMs, failure: isOptional ? undefined : failure }
    }
    world.recorder.log(frame, 'warn', `retrying ${target}: ${failure.message}`, endMs)
    nowMs = endMs + BACKOFF_MS
  }
}
