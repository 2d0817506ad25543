import type { CauseKey } from '../../../server/diagnostics/diagnosis/catalogue.ts'

/**
 * What counts as the right kind of cause for each kind of fault of the recorded incidents. One phrase for each, on purpose: a
 * neighbour of it, such as "Slow code" for a busy processor, is a symptom told as a cause, and counts as wrong.
 */
export const CAUSES_OF_RECORDED: Record<string, readonly CauseKey[]> = {
  /** Another process takes the processor, or the service's own code burns it. */
  cpu: ['cpuSaturation'],
  /** Packets to and from the service are held back. */
  network_delay: ['networkDelay'],
  /** The service's code was changed to throw. */
  exception: ['exception'],
  /** The service's code was changed to return early with a wrong answer, without throwing. */
  error_return: ['errorReturn'],
}
