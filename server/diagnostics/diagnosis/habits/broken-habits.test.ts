import { describe, expect, it } from 'vitest'
import { logOf } from '../../../storage/conformance/log-builder.ts'
import { atNs } from '../../../storage/conformance/test-time.ts'
import type { LogInSpan, SpanShape } from '../../../storage/diagnostics-reader.ts'
import { axis, serviceOf, TROUBLE } from '../testing/made-facts.ts'
import { brokenHabits } from './broken-habits.ts'
import { operationShapes } from './operation-shapes.ts'
import { statementsOf } from './statements.ts'

const MINUTES = Array.from({ length: axis.length }, (_, minute) => minute)
const isBad = (minute: number) => minute >= TROUBLE.from

/** So many spans of `shop buy` in each minute that did these steps. */
function shape(steps: string[], countIn: (minute: number) => number, traceId = ''): SpanShape {
  return { serviceName: 'shop', operationName: 'buy', steps, counts: Uint32Array.from(MINUTES, countIn), traceId }
}

/** One record in each of so many spans of `shop buy` in each minute. */
function records(body: string, severityNumber: number, countIn: (minute: number) => number): LogInSpan[] {
  return MINUTES.flatMap((minute) =>
    Array.from({ length: countIn(minute) }, (_, i) => ({
      ...logOf({ body, severityNumber, span: `${minute}${i}`, trace: `${minute}`, atMs: minute * 60_000 + i }),
      operationName: 'buy',
    })),
  )
}

function broken(shapes: SpanShape[], logs: LogInSpan[] = []) {
  const operations = operationShapes({ startNs: axis.startNs, shapes }, axis)
  const statements = statementsOf(logs, axis)
  const services = [serviceOf('shop')]
  return brokenHabits({ operations, loggedIn: operations, statements, services, isHeard: () => true }, axis)
}

describe('a habit is broken where', () => {
  it('a step is left out that was always taken', () => {
    const [habit] = broken([
      shape(['charge', 'ship'], (minute) => (isBad(minute) ? 2 : 10)),
      shape(['charge'], (minute) => (isBad(minute) ? 8 : 0)),
    ])
    expect(habit).toMatchObject({ of: 'step', way: 'missing', name: 'ship', given: '', episode: TROUBLE })
    expect(habit).toMatchObject({ before: { part: 0, whole: 650 }, during: { part: 80, whole: 100 } })
    expect(habit?.onsetNs).toBe(atNs(TROUBLE.from * 60_000))
  })

  it('a step is left out that always was taken, as in the trace that was the last to leave it out', () => {
    const until = (end: number) => (minute: number) => (isBad(minute) && minute < end ? 2 : 0)
    const [habit] = broken([
      shape(['ship'], (minute) => (isBad(minute) ? 2 : 10), 'kept'),
      shape([], until(70), 'over'),
      shape(['pay'], until(75), 'newest'),
      shape(['pack'], until(74), 'older'),
    ])
    expect(habit).toMatchObject({ name: 'ship', given: '', traceId: 'newest' })
  })

  it('a step is left out that always went with another one', () => {
    const found = broken([
      shape(['look'], () => 20),
      shape(['order', 'recommend'], (minute) => (isBad(minute) ? 0 : 2)),
      shape(['order'], (minute) => (isBad(minute) ? 2 : 0)),
    ])
    expect(found[0]).toMatchObject({ name: 'recommend', given: 'order', during: { part: 20, whole: 20 } })
  })

  it('nothing is done any more', () => {
    const found = broken([
      shape(['a'], (minute) => (isBad(minute) ? 3 : 5)),
      shape(['b'], (minute) => (isBad(minute) ? 3 : 5)),
      shape([], (minute) => (isBad(minute) ? 6 : 0)),
    ])
    expect(found.map(({ name }) => name)).toContain('')
  })

  it('a failure is reported that never was, or a line is no longer reached', () => {
    const shapes = [shape(['look'], () => 10)]
    const [reported] = broken(
      shapes,
      records('no contact 17', 17, (minute) => (isBad(minute) ? 9 : 0)),
    )
    expect(reported).toMatchObject({ of: 'statement', way: 'new', name: 'no contact <*>', severityNumber: 17 })
    const [passedOver] = broken(
      shapes,
      records('found 17', 9, (minute) => (isBad(minute) ? 1 : 10)),
    )
    expect(passedOver).toMatchObject({ of: 'statement', way: 'missing', name: 'found <*>' })
  })
})

it('a habit is broken by a few only where hardly any ever broke it', () => {
  const shapes = [shape(['look'], () => 40)]
  const reported = (before: number) =>
    broken(
      shapes,
      records('no contact 17', 17, (minute) => (isBad(minute) ? 3 : minute % 2 === 0 ? before : 0)),
    )
  expect(reported(0)).toHaveLength(1)
  expect(reported(1)).toEqual([])
})

describe('no habit is broken where', () => {
  it('what is asked for changes', () => {
    const found = broken([
      shape(['a'], (minute) => (isBad(minute) ? 8 : 4)),
      shape(['b'], (minute) => (isBad(minute) ? 2 : 6)),
    ])
    expect(found).toEqual([])
  })

  it('it is over, or too little was seen to know what is usual', () => {
    const inMinutes = (from: number, to: number) => (minute: number) => minute >= from && minute < to
    const early = inMinutes(40, 45)
    expect(
      broken([shape(['a'], (minute) => (early(minute) ? 0 : 10)), shape([], (minute) => (early(minute) ? 10 : 0))]),
    ).toEqual([])
    const hardlyAny = inMinutes(63, 65)
    expect(
      broken([shape(['a'], (minute) => (hardlyAny(minute) ? 5 : 0)), shape([], (minute) => (isBad(minute) ? 5 : 0))]),
    ).toEqual([])
  })

  it('something new is done that is no failure', () => {
    const logs = records('cache warmed', 9, (minute) => (isBad(minute) ? 10 : 0))
    expect(broken([shape(['a'], () => 10)], logs)).toEqual([])
  })
})
