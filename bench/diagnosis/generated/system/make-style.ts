import type { Random } from '../../../../server/demo/engine/random.ts'
import type { Condition } from '../conditions.ts'
import type { HostSpec, Style } from './generated-system.ts'
import type { Names } from './names.ts'

/** Most instrumentation reports failures; what a proxy or a converter sends often does not. */
const FAILURES_SHOW: Style['failuresShow'][] = [
  ...Array.from({ length: 8 }, () => 'as status' as const),
  'as code',
  'not at all',
]

/** Where a system runs, and how it tells of itself. */
export function makeStyle(random: Random, names: Names, condition: Condition): { style: Style; hosts: HostSpec[] } {
  const regions = ['eu-central-1', 'us-east-1', 'ap-south-1'].slice(0, 2 + random.integer(2))
  const domain = names.thing()
  const isSkewed = random.chance(0.2)
  const hosts = Array.from({ length: 3 + random.integer(4) }, (_, i) => ({
    name: `${domain}-node-${i + 1}`,
    region: regions[i % regions.length] ?? 'eu-central-1',
    skewMs: (random.unit() - 0.5) * (isSkewed && i === 0 ? 600 : 3),
  }))
  const style: Style = {
    conventions: random.chance(0.7) ? 'current' : 'former',
    metricsEveryMs: random.pick([15_000, 30_000, 60_000]),
    sampledShare: condition === 'sampled traces' ? random.pick([0.2, 0.3, 0.5]) : 1,
    identity: random.pick([
      ['service.instance.id', 'k8s.pod.name', 'host.name'],
      ['service.instance.id', 'host.name'],
      ['k8s.pod.name'],
    ]),
    customerKey: random.pick(['tenant.id', 'customer.id', 'app.account']),
    failuresShow: random.pick(FAILURES_SHOW),
    wandering: 0.01 + random.unit() * 0.06,
    passesCustomerOn: random.chance(0.5),
  }
  return { style, hosts }
}
