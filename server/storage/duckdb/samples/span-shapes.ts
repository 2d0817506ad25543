import type { SpanShape } from '../../diagnostics-reader.ts'
import { GroupSums } from '../live/group-sums.ts'
import { CLIENT, type DrawnSpans, PRODUCER } from './drawn-spans.ts'
import type { SpansBelow } from './spans-below.ts'
import { StepLists } from './step-lists.ts'

const NONE = -1

/** The counts of all shapes are one piece of memory: as many pieces they would cost far more to hand to another thread. */
export function spanShapes(drawn: DrawnSpans, below: SpansBelow, limit: number): SpanShape[] {
  const { minuteCount } = drawn
  const steps = new StepLists(drawn, below)
  /** By service, operation and steps. */
  const shapes = new GroupSums(1)
  const shapeOf = new Int32Array(drawn.size).fill(NONE)
  for (let row = 0; row < drawn.size; row++) {
    const kind = drawn.kind[row] as number
    if (drawn.isInWindow[row] === 0 || kind === CLIENT || kind === PRODUCER) continue
    const shape = shapes.at(drawn.service[row] as number, drawn.operation[row] as number, steps.numberOf(row), 0, 0)
    shapes.sums[shape] = (shapes.sums[shape] as number) + 1
    shapeOf[row] = shape
  }
  const told = mostCommon(shapes, limit)
  const placeOf = new Int32Array(shapes.size).fill(NONE)
  for (const [place, shape] of told.entries()) placeOf[shape] = place
  const counts = new Float64Array(told.length * minuteCount)
  const newest = new Int32Array(told.length).fill(NONE)
  for (let row = 0; row < drawn.size; row++) {
    const shape = shapeOf[row] as number
    const place = shape === NONE ? NONE : (placeOf[shape] as number)
    if (place === NONE) continue
    const at = place * minuteCount + (drawn.minute[row] as number)
    counts[at] = (counts[at] as number) + 1
    const known = newest[place] as number
    if (known === NONE || isShownBefore(drawn, row, known)) newest[place] = row
  }
  return told.map((shape, place) => ({
    serviceName: drawn.names.text(shapes.key(shape, 0)),
    operationName: drawn.names.text(shapes.key(shape, 1)),
    steps: steps.namesOf(shapes.key(shape, 2)),
    counts: counts.subarray(place * minuteCount, (place + 1) * minuteCount),
    traceId: drawn.traceIdOf(newest[place] as number),
  }))
}

function mostCommon(shapes: GroupSums, limit: number): number[] {
  const all = Array.from({ length: shapes.size }, (_, shape) => shape)
  if (all.length <= limit) return all
  return all.sort((a, b) => shapes.sum(b, 0) - shapes.sum(a, 0)).slice(0, limit)
}

function isShownBefore(drawn: DrawnSpans, row: number, other: number): boolean {
  const [minute, otherMinute] = [drawn.minute[row] as number, drawn.minute[other] as number]
  return minute === otherMinute ? drawn.isBefore(row, other) : minute > otherMinute
}
