import type { Process } from '../engine/kernel.ts'
import type { Shop } from '../shop/shop.ts'
import { APIS, type ApiName } from '../topology/dependencies.ts'
import type { Incident } from './incident.ts'

export const slowDependencies: readonly Incident[] = [
  slowness({
    api: 'card-processor',
    service: 'payments',
    factor: 28,
    expect:
      'payments waits for the card processor until its workers are all taken; charges time out, and checkout fails with 504',
  }),
  slowness({
    api: 'carrier-rates',
    service: 'shipping',
    factor: 24,
    expect: 'shipping waits for carrier rates; checkouts take seconds longer, and some quotes time out',
  }),
]

interface Slowness {
  api: ApiName
  service: string
  factor: number
  expect: string
}

function slowness({ api, service, factor, expect }: Slowness): Incident {
  return {
    kind: 'slow-dependency',
    service,
    describe: () => `${APIS[api].address}, which ${service} calls, takes ${factor} times as long to answer`,
    expect,
    unfold: (shop, lastsMs) => slowDown(shop, api, factor, lastsMs),
  }
}

function* slowDown(shop: Shop, api: ApiName, factor: number, lastsMs: number): Process<void> {
  shop.apiSlowdown.set(api, factor)
  yield* shop.kernel.sleep(lastsMs)
  shop.apiSlowdown.delete(api)
}
