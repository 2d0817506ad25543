import type { Random } from '../engine/random.ts'

/** One request of one customer: who asks, and what the `{names}` in paths and texts stand for. */
export interface Visit {
  readonly userId: string
  readonly tenant: string
  readonly plan: string
  readonly clientAddress: string
  readonly userAgent: string
  readonly searchTerm: string
  readonly names: Readonly<Record<string, string>>
}

const TENANTS = [
  { tenant: 'northbrook', plan: 'enterprise' },
  { tenant: 'harbor-lane', plan: 'enterprise' },
  { tenant: 'fieldstone', plan: 'business' },
  { tenant: 'lumen-home', plan: 'business' },
  { tenant: 'petalworks', plan: 'business' },
  { tenant: 'oak-and-iron', plan: 'starter' },
  { tenant: 'tidepool', plan: 'starter' },
  { tenant: 'wrenhouse', plan: 'starter' },
] as const

const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'ShopApp/4.12 (Android 15)',
]

const SEARCH_TERMS = ['lamp', 'oak table', 'linen', 'garden hose', 'kettle', 'wool blanket', 'desk', 'bike light']

const USERS = 6000
const PRODUCTS = 12_000

export function createVisit(random: Random): Visit {
  // Squaring favours low numbers: a few customers and products are asked for much more often than the rest.
  const user = Math.floor(random.unit() ** 2 * USERS)
  const product = Math.floor(random.unit() ** 2 * PRODUCTS)
  const { tenant, plan } = TENANTS[user % TENANTS.length] ?? TENANTS[0]
  const userId = `u-${10_000 + user}`
  return {
    userId,
    tenant,
    plan,
    clientAddress: `203.0.113.${user % 254}`,
    userAgent: USER_AGENTS[user % USER_AGENTS.length] ?? '',
    searchTerm: random.pick(SEARCH_TERMS),
    names: {
      userId,
      cartId: `c-${10_000 + user}`,
      productId: `${100_000 + product}`,
      orderId: `${4_000_000 + random.integer(3_000_000)}`,
      totalCents: `${500 + random.integer(40_000)}`,
    },
  }
}

export function fillIn(text: string, visit: Visit): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => visit.names[name] ?? whole)
}
