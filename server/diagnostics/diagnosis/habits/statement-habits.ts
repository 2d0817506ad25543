import type { OperationSeries } from '../series/minute-series.ts'
import { countOf, countsOf, newestTraceOf, type OperationShapes } from './operation-shapes.ts'
import { type Statement, writerKey } from './statements.ts'
import { ALWAYS, BROKEN_BEFORE_MAX, BROKEN_DURING_MIN, PAIRED_STEPS_MAX, type Watched } from './watched-habit.ts'

/** A failure that was hardly ever reported need not be reported by many to be news. */
const REPORTED_DURING_MIN = 0.15
/** What OTLP calls WARN, in its numbers. */
const SEVERITY_WARN = 13
const FAILURE_WORDS = /error|exception|fail|refused|denied|timed? ?out|panic|fatal/i

/** A statement that nearly every span reaches, and one that reports a failure and was hardly ever reached. */
export function statementHabits(
  statement: Statement,
  operations: OperationShapes[],
  services: OperationSeries[],
): Watched[] {
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
      newestTrace: () => newestTraceOf(operation.shapes),
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
      newestTrace: () => traceId,
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
    const wholes = countsOf(among, spans.length)
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
        newestTrace: () => newestTraceOf(among),
        isBrokenBy: (span) => (span.steps.has(given) ? !writers.has(writerKey(span)) : undefined),
      },
    ]
  })
}
