import type { Process } from '../engine/kernel.ts'
import type { Shop } from '../shop/shop.ts'
import { TRAFFIC, type TrafficKind, USUAL_RATE_PER_SECOND } from '../topology/traffic.ts'
import type { Incident } from './incident.ts'

export const trafficSurges: readonly Incident[] = [
  surge({
    traffic: 'search',
    service: 'catalog',
    factor: 4.5,
    expect: 'the processors of catalog are full, requests queue for its workers, then time out or are refused',
  }),
  surge({
    traffic: 'login',
    service: 'accounts',
    factor: 5,
    expect: 'checking passwords fills the processors of accounts; sign-ins and checkouts queue behind each other',
  }),
]

interface Surge {
  traffic: TrafficKind
  service: string
  factor: number
  expect: string
}

function surge({ traffic, service, factor, expect }: Surge): Incident {
  const { operation } = TRAFFIC[traffic]
  return {
    kind: 'traffic-surge',
    service,
    describe: (shop) =>
      `${factorFor(shop, factor)} times as many \`${operation}\` as usual, more than ${service} can carry`,
    expect,
    unfold: (shop, lastsMs) => flood(shop, traffic, factorFor(shop, factor), lastsMs),
  }
}

/** A shop that runs below its usual rate is as large as ever, and takes a larger multiple to flood. */
function factorFor(shop: Shop, factor: number): number {
  return Math.round(10 * factor * Math.max(1, USUAL_RATE_PER_SECOND / shop.ratePerSecond)) / 10
}

function* flood(shop: Shop, traffic: TrafficKind, factor: number, lastsMs: number): Process<void> {
  shop.trafficFactor.set(traffic, factor)
  yield* shop.kernel.sleep(lastsMs)
  shop.trafficFactor.delete(traffic)
}
