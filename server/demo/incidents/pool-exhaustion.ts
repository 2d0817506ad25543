import type { Process } from '../engine/kernel.ts'
import type { Shop } from '../shop/shop.ts'
import type { DatabaseName } from '../topology/dependencies.ts'
import type { Incident } from './incident.ts'

/** A full pool of the usual size is gone after 25 seconds, if there are requests enough to lose connections. */
const LEAK_EVERY_MS = 2500

export const poolExhaustions: readonly Incident[] = [
  exhaustion('inventory', 'inventory-db'),
  exhaustion('accounts', 'accounts-db'),
]

function exhaustion(service: string, database: DatabaseName): Incident {
  return {
    kind: 'pool-exhaustion',
    service,
    describe: () =>
      `${service} stops giving back connections to ${database}, one every ${LEAK_EVERY_MS / 1000} s on each instance`,
    expect: `the pool ${database} runs dry within half a minute; requests of ${service} wait for a connection and time out, and its callers fail`,
    unfold: (shop, lastsMs) => leak(shop, service, database, lastsMs),
  }
}

function* leak(shop: Shop, service: string, database: DatabaseName, lastsMs: number): Process<void> {
  const pools = shop.service(service).instances.map((instance) => instance.pool(database))
  for (let elapsedMs = 0; elapsedMs < lastsMs; elapsedMs += LEAK_EVERY_MS) {
    for (const pool of pools) {
      const share = Math.ceil(pool.connectionsMax / 10)
      for (let i = 0; i < share; i += 1) pool.leakNext()
    }
    yield* shop.kernel.sleep(LEAK_EVERY_MS)
  }
  for (const pool of pools) pool.reclaim()
}
