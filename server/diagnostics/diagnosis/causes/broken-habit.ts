import { callGraph } from '../call-graph.ts'
import type { CauseKey } from '../catalogue.ts'
import type { BrokenHabit } from '../habits/habit.ts'
import { mentionedDependency } from '../habits/mentioned-dependency.ts'
import type { Explanation, Inquiry } from './inquiry.ts'
import { percent, shortened } from './wording.ts'

const LINES_MAX = 3
const FAILED_SHARE_MAX = 0.3
const THROTTLED = /\b429\b|too many requests|rate.?limit|throttl/i
const THROWN = /exception|traceback|panic|threw|thrown|unhandled|uncaught|servlet\.service/i

/** A service no longer does what it did, or reports failures that it did not, although no span of it says ERROR. */
export function brokenHabit({ suspect, overview: { edges } }: Inquiry): Explanation | undefined {
  const { habits, votes } = suspect
  const [surest] = habits
  // Where requests fail in so many words, these say more, and what is left out follows from them.
  const failed = votes.filter(({ by }) => by === 'error')
  if (surest === undefined || failed.length > FAILED_SHARE_MAX * votes.length) return undefined
  const told = oneOfEach(habits).slice(0, LINES_MAX)
  const graph = callGraph(edges)
  const spokenOf = habits.flatMap((habit) => mentionedDependency(habit, edges, graph)?.targetName ?? [])[0]
  return {
    cause: spokenOf === undefined ? causeOf(habits) : dependencyCauseOf(habits),
    detail: spokenOf ?? surest.operationName,
    strength: strengthOf(surest),
    evidence: [...told.map(lineOf), surest.traceId === '' ? '' : `as in trace ${surest.traceId}`].filter(Boolean),
    mayFollow: spokenOf === undefined,
  }
}

/**
 * A failure that the code itself reports was returned, unless it speaks of something thrown. A statement that is passed over
 * without a word was jumped over. Steps that are left out follow an answer that was given too early.
 */
function causeOf(habits: BrokenHabit[]): CauseKey {
  const reported = habits.filter(({ of, way }) => of === 'statement' && way === 'new')
  if (reported.some(({ name, example }) => THROWN.test(name) || THROWN.test(example))) return 'exception'
  if (reported.length > 0) return 'errorReturn'
  return habits.every(({ of }) => of === 'statement') ? 'exception' : 'errorReturn'
}

function dependencyCauseOf(habits: BrokenHabit[]): CauseKey {
  return habits.some(({ example }) => THROTTLED.test(example)) ? 'rateLimiting' : 'failingDependency'
}

function strengthOf({ pValue, during }: BrokenHabit): number {
  const share = during.part / during.whole
  return Math.min(0.8, 0.55 + 0.15 * share + 0.01 * Math.min(10, -Math.log10(Math.max(pValue, 1e-12))))
}

/** Of several habits about the same thing the surest. */
function oneOfEach(habits: BrokenHabit[]): BrokenHabit[] {
  const seen = new Set<string>()
  return habits.filter(({ operationName, of, way, name }) => {
    const key = `${operationName}\n${of}\n${way}\n${name}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function lineOf(habit: BrokenHabit): string {
  const { serviceName, operationName, during, before } = habit
  const whose = `${serviceName} ${operationName}`.trim()
  return `${whose}: ${percent(during.part / during.whole)} of ${during.whole} ${verdictOf(habit)}, ${percent(before.part / Math.max(1, before.whole))} of ${before.whole} before`
}

function verdictOf({ of, way, name, given }: BrokenHabit): string {
  const quoted = `\u201c${shortened(name)}\u201d`
  if (of === 'statement') return way === 'new' ? `log ${quoted}` : `do not log ${quoted}`
  if (name === '') return 'do nothing further'
  return given === '' ? `leave out ${quoted}` : `with \u201c${shortened(given)}\u201d leave out ${quoted}`
}
