import { countOf, countsOf, newestTraceOf, type OperationShapes, type Shape } from './operation-shapes.ts'
import {
  ALWAYS,
  BROKEN_BEFORE_MAX,
  BROKEN_DURING_MIN,
  LIMITS,
  PAIRED_STEPS_MAX,
  type Watched,
} from './watched-habit.ts'

/** That a span does nothing at all happens a little more often than that it breaks another habit. */
const IDLE_BEFORE_MAX = 0.1
/** With more steps than this, an operation does something else each time. */
const STEPS_MAX = 40
const GIVEN_MIN = 15

/** The spans of an operation that take a given step; all of them where it is empty. */
interface Some {
  given: string
  shapes: Shape[]
  /** How many there are, by minute. */
  spans: number[]
}

/** Steps that are nearly always taken, on their own or given another one; and that any step is taken. */
export function stepHabits({ serviceName, operationName, spans, shapes }: OperationShapes): Watched[] {
  const total = countOf(shapes)
  const steps = new Map<string, number>()
  for (const shape of shapes) for (const step of shape.steps) steps.set(step, (steps.get(step) ?? 0) + shape.count)
  if (steps.size === 0 || steps.size > STEPS_MAX) return []
  const habits: Watched[] = []
  const watch = ({ given, ...some }: Some, name: string, isBroken: (steps: ReadonlySet<string>) => boolean) => {
    const broken = some.shapes.filter((shape) => isBroken(shape.steps))
    // Most habits are kept by all: nothing more is worked out of them.
    if (countOf(broken) < LIMITS.partsMin) return
    habits.push({
      serviceName,
      operationName,
      of: 'step',
      way: 'missing',
      name,
      given,
      examples: [],
      exceptionType: '',
      severityNumber: 0,
      parts: countsOf(broken, spans.length),
      wholes: some.spans,
      beforeMax: name === '' ? IDLE_BEFORE_MAX : BROKEN_BEFORE_MAX,
      duringMin: BROKEN_DURING_MIN,
      newestTrace: () => newestTraceOf(broken),
      isBrokenBy: ({ steps: own }) => (given === '' || own.has(given) ? isBroken(own) : undefined),
    })
  }
  const all: Some = { given: '', shapes, spans }
  watch(all, '', (own) => own.size === 0)
  for (const [step, count] of steps) if (count >= total / 2) watch(all, step, (own) => !own.has(step))
  if (steps.size > PAIRED_STEPS_MAX) return habits
  for (const [given, count] of steps) {
    if (count < GIVEN_MIN || count >= ALWAYS * total) continue
    const takers = shapes.filter((shape) => shape.steps.has(given))
    const some = { given, shapes: takers, spans: countsOf(takers, spans.length) }
    for (const step of steps.keys()) if (step !== given) watch(some, step, (own) => !own.has(step))
  }
  return habits
}
