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
  /** By service, operation and steps: how many there are, and the last minute that has any. */
  const shapes = new GroupSums(2)
  const shapeOf = new Int32Array(drawn.size).fill(NONE)
  for (let row = 0; row < drawn.size; row++) {
    const kind = drawn.kind[row] as number
    if (drawn.isInWindow[row] === 0 || kind === CLIENT || kind === PRODUCER) continue
    const at = shapes.at(drawn.service[row] as number, drawn.operation[row] as number, steps.numberOf(row), 0, 0)
    shapes.sums[at] = (shapes.sums[at] as number) + 1
    shapes.sums[at + 1] = Math.max(shapes.sums[at + 1] as number, drawn.minute[row] as number)
    shapeOf[row] = at / 2
  }
  const told = mostCommon(shapes, limit)
  const placeOf = new Int32Array(shapes.size).fill(NONE)
  for (let place = 0; place < told.length; place++) placeOf[told[place] as number] = place
  const counts = new Uint32Array(told.length * minuteCount)
  const shown = new Int32Array(told.length).fill(NONE)
  for (let row = 0; row < drawn.size; row++) {
    const shape = shapeOf[row] as number
    const place = shape === NONE ? NONE : (placeOf[shape] as number)
    if (place === NONE) continue
    const minute = drawn.minute[row] as number
    counts[place * minuteCount + minute] = (counts[place * minuteCount + minute] as number) + 1
    if (minute !== shapes.sum(shape, 1)) continue
    const known = shown[place] as number
    if (known === NONE || drawn.isBefore(row, known)) shown[place] = row
  }
  const traceIds = drawn.traceIdsOf(shown)
  return told.map((shape, place) => ({
    serviceName: drawn.names.text(shapes.key(shape, 0)),
    operationName: drawn.names.text(shapes.key(shape, 1)),
    steps: steps.namesOf(shapes.key(shape, 2)),
    counts: counts.subarray(place * minuteCount, (place + 1) * minuteCount),
    traceId: traceIds[place] as string,
  }))
}

function mostCommon(shapes: GroupSums, limit: number): number[] {
  const all = Array.from({ length: shapes.size }, (_, shape) => shape)
  if (all.length <= limit) return all
  return all.sort((a, b) => shapes.sum(b, 0) - shapes.sum(a, 0)).slice(0, limit)
}
