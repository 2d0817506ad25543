import { ENTRY_SERVICE } from '../load/simulated-services.ts'

/** One question of Diagnostics, and how soon it must be answered. */
export interface Endpoint {
  name: string
  /** Below `/apm/`, as of now. */
  path(gridId: string): string
  medianMaxMs: number
  p99MaxMs: number
}

/** One of those that others call. */
const INNER_SERVICE = 'cart-api'
const MINUTE_MS = 60_000
const DAY_MINUTES = 1440
const WEEK_MINUTES = 7 * DAY_MINUTES
const SECOND_MS = 1000

const LIMITS = { medianMaxMs: 100, p99MaxMs: 300 }
const LIMITS_OF_DIAGNOSIS = { medianMaxMs: SECOND_MS, p99MaxMs: SECOND_MS }
const LIMITS_OF_A_DAY = { medianMaxMs: 300, p99MaxMs: 300 }

const QUESTIONS = [
  'health',
  'alerts',
  'diagnosis',
  'pressure',
  'trends',
  'services',
  'timeline',
  `service/${ENTRY_SERVICE}`,
  `service/${INNER_SERVICE}`,
  'slowest-endpoints',
  'changes',
]

/** Everything as it is asked without parameters, and a comparison of the same two windows. */
export function endpointsOfNow(): Endpoint[] {
  return [
    ...QUESTIONS.map((question) => ({
      name: `/${question}`,
      path: (gridId: string) => `diagnostics/${gridId}/${question}`,
      ...(question === 'diagnosis' ? LIMITS_OF_DIAGNOSIS : LIMITS),
    })),
    { name: '/compare 15 min, 60 min before', path: (gridId) => comparison(gridId, 15, 60), ...LIMITS },
  ]
}

/** The same about a whole day. */
export function endpointsOfDay(): Endpoint[] {
  return QUESTIONS.map((question) => ({
    name: `/${question}?window=${DAY_MINUTES}`,
    path: (gridId) => `diagnostics/${gridId}/${question}?window=${DAY_MINUTES}`,
    ...(question === 'diagnosis' ? LIMITS_OF_DIAGNOSIS : LIMITS_OF_A_DAY),
  }))
}

export function comparisonOfWeeks(): Endpoint {
  const path = (gridId: string) => comparison(gridId, WEEK_MINUTES, WEEK_MINUTES)
  return { name: '/compare 7 days, 7 days before', path, medianMaxMs: SECOND_MS, p99MaxMs: SECOND_MS }
}

function comparison(gridId: string, currentMinutes: number, baselineMinutes: number): string {
  const endMs = Date.now()
  const currentStartMs = endMs - currentMinutes * MINUTE_MS
  const times = {
    currentStart: currentStartMs,
    currentEnd: endMs,
    baselineStart: currentStartMs - baselineMinutes * MINUTE_MS,
    baselineEnd: currentStartMs,
  }
  const query = Object.entries(times).map(([name, ms]) => `${name}=${new Date(ms).toISOString()}`)
  return `diagnostics/${gridId}/compare?${query.join('&')}`
}
