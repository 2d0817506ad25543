import type { Process } from '../engine/kernel.ts'
import type { Shop } from '../shop/shop.ts'

export const INCIDENT_KINDS = [
  'bad-deployment',
  'pool-exhaustion',
  'slow-dependency',
  'bad-instance',
  'traffic-surge',
] as const

export type IncidentKind = (typeof INCIDENT_KINDS)[number]

/** Something that goes wrong with the shop for a while. It changes causes only; symptoms are left to the simulation. */
export interface Incident {
  readonly kind: IncidentKind
  /** The service at fault: what a diagnosis should name first. */
  readonly service: string
  /** What is planted and where, for the person who compares. */
  describe(shop: Shop): string
  /** What should be seen, in the words of an engineer on call. */
  readonly expect: string
  /** Begins it, lets it last, and undoes its cause. */
  unfold(shop: Shop, lastsMs: number): Process<void>
}
