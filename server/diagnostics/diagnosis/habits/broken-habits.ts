import type { Share } from '../../statistics/fisher-exact.ts'
import type { Episode, MinuteAxis } from '../series/minute-axis.ts'
import type { OperationSeries } from '../series/minute-series.ts'
import { type RiseLimits, strongestRise } from '../series/strongest-rise.ts'
import { isLasting, P_VALUE_BELOW } from '../symptoms/judgement.ts'
import { onsetOf } from '../symptoms/onset.ts'
import type { BrokenHabit, SpanSteps } from './habit.ts'
import { countOf, countsOf, newestTraceOf, type OperationShapes, type Shape } from './operation-shapes.ts'
import { type Example, type Statement, writerKey } from './statements.ts'

/** A habit is what nearly every span keeps: what varies with who asks, and for what, is none. */
const BROKEN_BEFORE_MAX = 0.05
/** That a span does nothing at all happens a little more often. */
const IDLE_BEFORE_MAX = 0.1
const BROKEN_DURING_MIN = 0.3
/** What hardly any span ever broke need not be broken by more than those of one customer. */
const NEVER_BROKEN_MAX = 0.003
const NEVER_BROKEN_DURING_MIN = 0.06
/** A failure that was hardly ever reported need not be reported by many to be news. */
const REPORTED_DURING_MIN = 0.15
const LIMITS: RiseLimits = { partsMin: 4, wholesMin: 5, restWholesMin: 30 }
/** With more steps than this, an operation does something else each time. */
const STEPS_MAX = 40
/** What more spans than this do, they do whatever else they do. */
const ALWAYS = 0.95
const PAIRED_STEPS_MAX = 14
const GIVEN_MIN = 15
/** What OTLP calls WARN, in its numbers. */
const SEVERITY_WARN = 13
const FAILURE_WORDS = /error|exception|fail|refused|denied|timed? ?out|panic|fatal/i

interface Watched
  extends Pick<
    BrokenHabit,
    'serviceName' | 'operationName' | 'of' | 'way' | 'name' | 'given' | 'exceptionType' | 'severityNumber' | 'traceId'
  > {
  examples: Example[]
  /** Spans that break it, and all to which it applies, by minute. */
  parts: number[]
  wholes: number[]
  beforeMax: number
  duringMin: number
  isBrokenBy(span: SpanSteps): boolean | undefined
}

interface Behaviour {
  operations: OperationShapes[]
  /** The same, of the traces whose log records are known. */
  loggedIn: OperationShapes[]
  statements: Statement[]
  /** Whether the log records of a trace are known, if it has any. */
  isHeard(traceId: string): boolean
  /** All operations of each service together. */
  services: OperationSeries[]
}

/** Everything that spans did as a matter of course and do no longer, surest first. */
export function brokenHabits(
  { operations, loggedIn, statements, services, isHeard }: Behaviour,
  axis: MinuteAxis,
): BrokenHabit[] {
  const watched = [
    ...operations.flatMap((operation) => stepHabits(operation)),
    ...statements.flatMap((statement) => statementHabits(statement, loggedIn, services)).map(ofHeard),
  ]
  const told = oneOfEach(watched.filter(({ parts }) => isEverBroken(parts)))
  return told
    .flatMap((each) => brokenOf(each, axis, told.length))
    .toSorted((a, b) => a.pValue - b.pValue || b.during.part - a.during.part)

  function ofHeard(watched: Watched): Watched {
    return { ...watched, isBrokenBy: (span) => (isHeard(span.traceId) ? watched.isBrokenBy(span) : undefined) }
  }
}

/**
 * What can never stand out, because hardly anything broke it, needs no correction for having been looked at (Tarone); nor does
 * what is broken by the same spans as something else of the same operation.
 */
function oneOfEach(watched: Watched[]): Watched[] {
  const seen = new Map<number, Watched[]>()
  return watched.filter((each) => {
    const mark = markOf(each)
    const marked = seen.get(mark)
    if (marked === undefined) seen.set(mark, [each])
    else if (marked.some((other) => isSame(each, other))) return false
    else marked.push(each)
    return true
  })
}

/** A number that the same counts always have, and others hardly ever. */
function markOf({ parts, wholes }: Watched): number {
  let mark = 0
  for (let minute = 0; minute < parts.length; minute++)
    mark = (mark * 31 + (parts[minute] as number) * 17 + (wholes[minute] as number)) | 0
  return mark
}

function isSame(a: Watched, b: Watched): boolean {
  if (a.operationName !== b.operationName || a.serviceName !== b.serviceName) return false
  return a.of === b.of && a.way === b.way && areEqual(a.parts, b.parts) && areEqual(a.wholes, b.wholes)
}

function areEqual(a: number[], b: number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function isEverBroken(parts: number[]): boolean {
  return parts.reduce((sum, part) => sum + part, 0) >= LIMITS.partsMin
}

function brokenOf(watched: Watched, axis: MinuteAxis, comparisons: number): BrokenHabit[] {
  const { parts, wholes, beforeMax, duringMin, examples, ...habit } = watched
  const rise = strongestRise({ parts, wholes }, LIMITS)
  if (rise === undefined || rise.pValue * comparisons >= P_VALUE_BELOW || !isLasting(rise, axis, wholes)) return []
  const during = sumOf(parts, wholes, (minute) => minute >= rise.from && minute < rise.to)
  const before = sumOf(parts, wholes, (minute) => minute < rise.from || minute > rise.to)
  const [was, is] = [before.part / Math.max(1, before.whole), during.part / during.whole]
  if (was > beforeMax || is < (was <= NEVER_BROKEN_MAX ? NEVER_BROKEN_DURING_MIN : duringMin)) return []
  if (is < 4 * was || rise.from === 0) return []
  const onsetNs = onsetOf(axis, rise, (minute) => [parts[minute] ?? 0, wholes[minute] ?? 0])
  const episode = { from: rise.from, to: rise.to }
  return [
    {
      ...habit,
      ...{ episode, onsetNs, before, during, pValue: rise.pValue * comparisons },
      examples: textsIn(examples, episode),
      mention: undefined,
    },
  ]
}

function textsIn(examples: Example[], { from, to }: Episode): string[] {
  const during = examples.filter(({ minute }) => minute >= from && minute < to)
  return (during.length > 0 ? during : examples).map(({ text }) => text)
}

/** Steps that are nearly always taken, on their own or given another one; and that any step is taken. */
function stepHabits(operation: OperationShapes): Watched[] {
  const { serviceName, operationName, spans, shapes } = operation
  const total = countOf(shapes)
  const steps = new Map<string, number>()
  for (const shape of shapes) for (const step of shape.steps) steps.set(step, (steps.get(step) ?? 0) + shape.count)
  if (steps.size === 0 || steps.size > STEPS_MAX) return []
  /** `among`: the shapes that take the given step. */
  const watch = (
    name: string,
    given: string,
    among: Shape[],
    isBroken: (steps: ReadonlySet<string>) => boolean,
  ): Watched[] => {
    const broken = among.filter((shape) => isBroken(shape.steps))
    // Most habits are kept by all: nothing more is worked out of them.
    if (countOf(broken) < LIMITS.partsMin) return []
    const habit: Watched = {
      ...{ serviceName, operationName, of: 'step', way: 'missing', name, given },
      ...{ examples: [], exceptionType: '', severityNumber: 0 },
      parts: countsOf(broken, spans),
      wholes: given === '' ? spans : countsOf(among, spans),
      beforeMax: name === '' ? IDLE_BEFORE_MAX : BROKEN_BEFORE_MAX,
      duringMin: BROKEN_DURING_MIN,
      traceId: newestTraceOf(broken),
      isBrokenBy: ({ steps: own }) => (given === '' || own.has(given) ? isBroken(own) : undefined),
    }
    return [habit]
  }
  const usual = [...steps].filter(([, count]) => count >= total / 2).map(([step]) => step)
  const rare = [...steps].filter(([, count]) => count >= GIVEN_MIN && count < ALWAYS * total).map(([step]) => step)
  const pairs = steps.size > PAIRED_STEPS_MAX ? [] : rare
  return [
    ...watch('', '', shapes, (own) => own.size === 0),
    ...usual.flatMap((step) => watch(step, '', shapes, (own) => !own.has(step))),
    ...pairs.flatMap((given) => {
      const among = shapes.filter((shape) => shape.steps.has(given))
      const others = [...steps.keys()].filter((step) => step !== given)
      return others.flatMap((step) => watch(step, given, among, (own) => !own.has(step)))
    }),
  ]
}

/** A statement that nearly every span reaches, and one that reports a failure and was hardly ever reached. */
function statementHabits(statement: Statement, operations: OperationShapes[], services: OperationSeries[]): Watched[] {
  const { serviceName, operationName, template, examples, exceptionType, severityNumber, spans, traceId, writers } =
    statement
  const operation = operations.find((one) => one.serviceName === serviceName && one.operationName === operationName)
  const service = services.find((one) => one.serviceName === serviceName)
  const wholes = operation?.spans ?? service?.requests
  if (wholes === undefined) return []
  const written = spans.map((count, minute) => Math.min(count, wholes[minute] ?? 0))
  const shared = {
    serviceName,
    operationName,
    of: 'statement' as const,
    name: template,
    given: '',
    examples,
    exceptionType,
    severityNumber,
  }
  const habits: Watched[] = []
  const total = wholes.reduce((sum, count) => sum + count, 0)
  const writtenTotal = written.reduce((sum, count) => sum + count, 0)
  if (operation && writtenTotal >= total / 2)
    habits.push({
      ...shared,
      way: 'missing',
      parts: wholes.map((count, minute) => count - (written[minute] ?? 0)),
      wholes,
      beforeMax: BROKEN_BEFORE_MAX,
      duringMin: BROKEN_DURING_MIN,
      traceId: newestTraceOf(operation.shapes),
      isBrokenBy: (span) => !writers.has(writerKey(span)),
    })
  if (operation && writtenTotal < ALWAYS * total) habits.push(...statementsGivenSteps(statement, operation))
  if (severityNumber >= SEVERITY_WARN || (severityNumber === 0 && FAILURE_WORDS.test(template)))
    habits.push({
      ...shared,
      way: 'new',
      parts: written,
      wholes,
      beforeMax: BROKEN_BEFORE_MAX,
      duringMin: REPORTED_DURING_MIN,
      traceId,
      isBrokenBy: (span) => writers.has(writerKey(span)),
    })
  return habits
}

/**
 * A statement on one of several ways through an operation is written as often as some step of that way is taken. Which spans
 * these are is not known, but where the counts agree, minute by minute, so do the spans.
 */
function statementsGivenSteps(statement: Statement, operation: OperationShapes): Watched[] {
  const { serviceName, operationName, template, examples, exceptionType, severityNumber, spans, writers } = statement
  const steps = [...new Set(operation.shapes.flatMap((shape) => [...shape.steps]))]
  if (steps.length > PAIRED_STEPS_MAX) return []
  return steps.flatMap((given): Watched[] => {
    const among = operation.shapes.filter((shape) => shape.steps.has(given))
    const wholes = countsOf(among, operation.spans)
    const total = countOf(among)
    const excess = spans.reduce((sum, count, minute) => sum + Math.max(0, count - (wholes[minute] ?? 0)), 0)
    const written = spans.reduce((sum, count) => sum + count, 0)
    if (excess > BROKEN_BEFORE_MAX * total || written < total / 2) return []
    return [
      {
        ...{
          serviceName,
          operationName,
          of: 'statement',
          way: 'missing',
          name: template,
          given,
          examples,
          exceptionType,
          severityNumber,
        },
        parts: wholes.map((count, minute) => Math.max(0, count - (spans[minute] ?? 0))),
        wholes,
        beforeMax: BROKEN_BEFORE_MAX,
        duringMin: BROKEN_DURING_MIN,
        traceId: newestTraceOf(among),
        isBrokenBy: (span) => (span.steps.has(given) ? !writers.has(writerKey(span)) : undefined),
      },
    ]
  })
}

function sumOf(parts: number[], wholes: number[], counts: (minute: number) => boolean): Share {
  const minutes = [...wholes.keys()].filter(counts)
  const sum = (values: number[]) => minutes.reduce((total, minute) => total + (values[minute] ?? 0), 0)
  return { part: sum(parts), whole: sum(wholes) }
}
