import type { Random } from '../engine/random.ts'
import { ENTRY_SERVICE } from '../topology/services.ts'
import { rhythmAt, TRAFFIC, type TrafficKind } from '../topology/traffic.ts'
import type { Shop } from './shop.ts'
import { createVisit } from './visit.ts'

const KINDS = Object.keys(TRAFFIC) as TrafficKind[]

/** Requests come one by one, independently of each other and of how the shop fares: a Poisson stream. */
export function letCustomersIn(shop: Shop, chance: Random): void {
  const arrive = (): void => {
    const kind = pickKind(shop, chance)
    const request = { operation: TRAFFIC[kind].operation, visit: createVisit(chance), caller: undefined }
    shop.kernel.spawn(shop.serve(shop.service(ENTRY_SERVICE).choose(), request))
    shop.kernel.after(gapMs(shop, chance), arrive)
  }
  shop.kernel.after(gapMs(shop, chance), arrive)
}

function gapMs(shop: Shop, chance: Random): number {
  const perSecond = shop.ratePerSecond * rhythmAt(shop.recorder.nowEpochMs) * totalWeight(shop)
  return chance.exponential(1000 / perSecond)
}

function pickKind(shop: Shop, chance: Random): TrafficKind {
  let left = chance.unit() * totalWeight(shop)
  for (const kind of KINDS) {
    left -= weightOf(shop, kind)
    if (left < 0) return kind
  }
  return 'home'
}

function totalWeight(shop: Shop): number {
  let total = 0
  for (const kind of KINDS) total += weightOf(shop, kind)
  return total
}

function weightOf(shop: Shop, kind: TrafficKind): number {
  return TRAFFIC[kind].share * (shop.trafficFactor.get(kind) ?? 1)
}
