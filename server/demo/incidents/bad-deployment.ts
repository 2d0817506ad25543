import type { Process } from '../engine/kernel.ts'
import type { Release } from '../shop/instance.ts'
import type { Shop } from '../shop/shop.ts'
import type { ServiceSpec } from '../topology/service-spec.ts'
import { catalog } from '../topology/services/catalog.ts'
import { checkout } from '../topology/services/checkout.ts'
import { fail, query, repeat, type Step } from '../topology/step.ts'
import type { Incident } from './incident.ts'

const brokenCheckout: Release = {
  version: '5.2.0',
  operations: eachOperation(checkout, (steps) => [
    fail(0.4, 'java.lang.NullPointerException', 'Cannot invoke "shop.checkout.Coupon.code()" because "coupon" is null'),
    ...steps,
  ]),
}

const reviewOfProduct = query(
  'catalog-db',
  'SELECT reviews',
  'SELECT stars, title, body FROM reviews WHERE product_id = $1 AND id = $2',
  14,
)

/** The classic mistake: one statement for each row of the answer instead of one for all. */
const chattyCatalog: Release = {
  version: '3.8.0',
  operations: {
    ...catalog.operations,
    'GET /products/{productId}': [
      ...(catalog.operations['GET /products/{productId}'] ?? []),
      repeat(40, [reviewOfProduct]),
    ],
  },
}

export const badDeployments: readonly Incident[] = [
  {
    kind: 'bad-deployment',
    service: 'checkout',
    describe: () => `checkout ${checkout.version} → ${brokenCheckout.version}, which throws on 40 % of its requests`,
    expect: 'NullPointerException in checkout from the first new pod on; orders fail at the storefront with 502',
    unfold: (shop, lastsMs) => deployAndRollBack(shop, 'checkout', brokenCheckout, lastsMs),
  },
  {
    kind: 'bad-deployment',
    service: 'catalog',
    describe: () =>
      `catalog ${catalog.version} → ${chattyCatalog.version}, which reads reviews one by one on product pages`,
    expect: 'product pages of catalog slow down more than tenfold, with 40 more statements in each trace',
    unfold: (shop, lastsMs) => deployAndRollBack(shop, 'catalog', chattyCatalog, lastsMs),
  },
]

function* deployAndRollBack(shop: Shop, name: string, release: Release, lastsMs: number): Process<void> {
  const service = shop.service(name)
  yield* service.rollOut(release)
  yield* shop.kernel.sleep(lastsMs)
  yield* service.rollOut(service.stableRelease)
}

function eachOperation(spec: ServiceSpec, change: (steps: Step[]) => Step[]): Record<string, Step[]> {
  return Object.fromEntries(Object.entries(spec.operations).map(([name, steps]) => [name, change(steps)]))
}
