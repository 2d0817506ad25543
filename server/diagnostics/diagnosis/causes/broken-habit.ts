import type { CauseKey } from '../catalogue.ts'
import type { BrokenHabit } from '../habits/habit.ts'
import { isReport } from '../habits/with-mentions.ts'
import { earliestTogether } from '../suspects/earliest-together.ts'
import { type FailureClass, failureClassOf, failureOf } from '../traces/failure.ts'
import { type Explanation, type Inquiry, saturationsOf } from './inquiry.ts'
import { firstMissingTarget } from './missing-call.ts'
import { percent, shortened } from './wording.ts'

const LINES_MAX = 3
const FAILED_SHARE_MAX = 0.15
const SPENT: Partial<Record<FailureClass, CauseKey>> = {
  pool: 'connectionPoolExhaustion',
  rejected: 'threadPoolExhaustion',
  memory: 'memoryPressure',
  throttled: 'rateLimiting',
}
const THROWN = /exception|traceback|panic|threw|thrown|unhandled|uncaught|servlet\.service/i

/** A service no longer does what it did, or reports failures that it did not, although no span of it says ERROR. */
export function brokenHabit(inquiry: Inquiry): Explanation | undefined {
  const { habits, votes, serviceName } = inquiry.suspect
  const [surest] = habits
  // Where requests fail in so many words, these say more, and what is left out follows from them.
  const failed = votes.filter(({ by }) => by === 'error')
  if (surest === undefined || failed.length > FAILED_SHARE_MAX * votes.length) return undefined
  const spokenOf = habits.flatMap(({ mention }) => mention?.dependencyName ?? [])[0]
  const spent = spentCauseOf(habits)
  const pool = spent === 'connectionPoolExhaustion' ? poolOf(inquiry) : ''
  const own = habits.filter((habit) => habit.serviceName === serviceName)
  const caught = spent === undefined && spokenOf === undefined && own.length > 0 ? caughtIn(inquiry) : ''
  const cause = spent ?? (spokenOf ? 'failingDependency' : caught ? 'exception' : causeOf(own, habits))
  const thrown = cause === 'exception' ? caught || exceptionTypeIn(own) : ''
  return {
    cause,
    detail: pool || spokenOf || thrown || (own[0]?.operationName ?? ''),
    // What is called by its name is surer than what is left out.
    strength: strengthOf(surest) + (spent === undefined && spokenOf === undefined ? 0 : 0.1),
    evidence: habitLines(habits),
    onsetNs: earliestTogether(
      surest.onsetNs,
      habits.map(({ onsetNs }) => onsetNs),
    ),
    // Callers pass the words on.
    mayFollow: spokenOf === undefined,
  }
}

/** What is no longer as it was, surest first, and a trace in which to see it. */
export function habitLines(habits: BrokenHabit[]): string[] {
  const lines = oneOfEach(habits).slice(0, LINES_MAX).map(lineOf)
  const traceId = habits[0]?.traceId ?? ''
  return traceId === '' ? lines : [...lines, `as in trace ${traceId}`]
}

function poolOf(inquiry: Inquiry): string {
  return saturationsOf(inquiry, 'connection_pool')[0]?.resource || firstMissingTarget(inquiry)
}

/**
 * A failure that the code itself reports was returned, unless it speaks of something thrown. A statement that is passed over
 * without a word was jumped over. Steps that are left out follow an answer that was given too early. Of whom only others speak,
 * it is known how their calls fail.
 */
function causeOf(own: BrokenHabit[], all: BrokenHabit[]): CauseKey {
  if (own.length === 0) return all.some(isWithoutAnswer) ? 'unreachableService' : 'errorReturn'
  const reported = own.filter(isReport)
  if (exceptionTypeIn(own) !== '') return 'exception'
  if (reported.some(({ name, examples }) => THROWN.test(name) || examples.some((text) => THROWN.test(text))))
    return 'exception'
  if (reported.length > 0) return 'errorReturn'
  return own.every(({ of }) => of === 'statement') ? 'exception' : 'errorReturn'
}

/** The type of exception that most spans which broke a habit tell of, although none of them says ERROR. */
function caughtIn({ suspect, details }: Inquiry): string {
  const broken = details.witnesses.get(suspect.serviceName)?.broken ?? []
  const types = broken.map(failureOf).flatMap(({ isException, type }) => (isException && type !== '' ? [type] : []))
  return types.length > broken.length / 2 ? (types.at(-1) ?? '') : ''
}

function exceptionTypeIn(habits: BrokenHabit[]): string {
  return habits.filter(isReport).find(({ exceptionType }) => exceptionType !== '')?.exceptionType ?? ''
}

function isWithoutAnswer({ examples }: BrokenHabit): boolean {
  const failure = failureClassOf(examples.at(-1) ?? '')
  return failure === 'refused' || failure === 'timeout'
}

/** Where a newly reported failure says in so many words what there is no more of. */
function spentCauseOf(habits: BrokenHabit[]): CauseKey | undefined {
  return habits
    .filter(isReport)
    .map(({ examples }) => SPENT[failureClassOf(examples.at(-1) ?? '')])
    .find((cause) => cause !== undefined)
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
  // Habits of an operation are known from spans of it, of which there may be several in a request; else from requests.
  const what = operationName === '' ? 'requests' : 'spans looked at'
  return `${whose}: ${percent(during.part / during.whole)} of ${during.whole} ${what} ${verdictOf(habit)}, ${percent(before.part / Math.max(1, before.whole))} of ${before.whole} before`
}

function verdictOf({ of, way, name, given }: BrokenHabit): string {
  const quoted = `\u201c${shortened(name)}\u201d`
  if (of === 'statement') return way === 'new' ? `log ${quoted}` : `do not log ${quoted}`
  if (name === '') return 'do nothing further'
  return given === '' ? `leave out ${quoted}` : `with \u201c${shortened(given)}\u201d leave out ${quoted}`
}
