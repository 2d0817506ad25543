import { callGraph } from '../call-graph.ts'
import type { CauseKey } from '../catalogue.ts'
import type { BrokenHabit } from '../habits/habit.ts'
import { mentionedDependency } from '../habits/mentioned-dependency.ts'
import { type FailureClass, failureClassOf } from '../traces/failure.ts'
import { type Explanation, type Inquiry, saturationsOf } from './inquiry.ts'
import { percent, shortened } from './wording.ts'

const LINES_MAX = 3
const FAILED_SHARE_MAX = 0.3
const SPENT: Partial<Record<FailureClass, CauseKey>> = {
  pool: 'connectionPoolExhaustion',
  rejected: 'threadPoolExhaustion',
  memory: 'memoryPressure',
  throttled: 'rateLimiting',
}
const THROWN = /exception|traceback|panic|threw|thrown|unhandled|uncaught|servlet\.service/i

/** A service no longer does what it did, or reports failures that it did not, although no span of it says ERROR. */
export function brokenHabit(inquiry: Inquiry): Explanation | undefined {
  const { suspect, overview } = inquiry
  const { edges } = overview
  const { habits, votes } = suspect
  const [surest] = habits
  // Where requests fail in so many words, these say more, and what is left out follows from them.
  const failed = votes.filter(({ by }) => by === 'error')
  if (surest === undefined || failed.length > FAILED_SHARE_MAX * votes.length) return undefined
  const graph = callGraph(edges)
  const spokenOf = habits.flatMap((habit) => mentionedDependency(habit, edges, graph)?.targetName ?? [])[0]
  const told = oneOfEach(habits).slice(0, LINES_MAX)
  const spent = spentCauseOf(habits)
  const [full] = spent === 'connectionPoolExhaustion' ? saturationsOf(inquiry, 'connection_pool') : []
  return {
    cause: spent ?? (spokenOf === undefined ? causeOf(habits) : 'failingDependency'),
    detail: full?.resource ?? spokenOf ?? surest.operationName,
    // What is called by its name is surer than what is left out.
    strength: strengthOf(surest) + (spent === undefined && spokenOf === undefined ? 0 : 0.1),
    evidence: [...told.map(lineOf), surest.traceId === '' ? '' : `as in trace ${surest.traceId}`].filter(Boolean),
    mayFollow: spent === undefined && spokenOf === undefined,
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

/** Where a newly reported failure says in so many words what there is no more of. */
function spentCauseOf(habits: BrokenHabit[]): CauseKey | undefined {
  const reported = habits.filter(({ of, way }) => of === 'statement' && way === 'new')
  return reported.map(({ example }) => SPENT[failureClassOf(example)]).find((cause) => cause !== undefined)
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
