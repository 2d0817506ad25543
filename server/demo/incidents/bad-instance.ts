import type { Process } from '../engine/kernel.ts'
import type { Instance } from '../shop/instance.ts'
import type { Shop } from '../shop/shop.ts'
import type { Incident } from './incident.ts'

/** The incident strikes whichever instance is in the first slot; the others stay well. */
function victimOf(shop: Shop, service: string): Instance {
  const victim = shop.service(service).instances[0]
  if (victim === undefined) throw new Error(`${service} has no instance.`)
  return victim
}

export const badInstances: readonly Incident[] = [
  {
    kind: 'bad-instance',
    service: 'catalog',
    describe: (shop) =>
      `a noisy neighbour takes nine tenths of the processor from ${victimOf(shop, 'catalog').podName}, one of catalog's pods`,
    expect: 'requests that reach this pod wait and time out, its processor is full; the other pods are as fast as ever',
    unfold: starveProcessor,
  },
  {
    kind: 'bad-instance',
    service: 'cart',
    describe: (shop) => `${victimOf(shop, 'cart').podName}, one of cart's pods, cannot reach its Redis any more`,
    expect: 'every request to this pod that needs the cart store fails at once; the other pods answer',
    unfold: cutOffFromRedis,
  },
]

function* starveProcessor(shop: Shop, lastsMs: number): Process<void> {
  const victim = victimOf(shop, 'catalog')
  victim.processor.speed = 0.1
  yield* shop.kernel.sleep(lastsMs)
  victim.processor.speed = 1
}

function* cutOffFromRedis(shop: Shop, lastsMs: number): Process<void> {
  const victim = victimOf(shop, 'cart')
  victim.cutOff.add('cart-store')
  yield* shop.kernel.sleep(lastsMs)
  victim.cutOff.delete('cart-store')
}
