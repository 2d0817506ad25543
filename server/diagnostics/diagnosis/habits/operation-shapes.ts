import type { DrawnTraces, SpanShape } from '../../../storage/diagnostics-reader.ts'
import { type MinuteAxis, placeOn } from '../series/minute-axis.ts'

/** What spans of one operation did. */
export interface OperationShapes {
  serviceName: string
  operationName: string
  /** How many spans there were, by minute of an axis. */
  spans: number[]
  shapes: Shape[]
}

/** Spans that did just these steps. */
export interface Shape {
  steps: ReadonlySet<string>
  /** How many there are, in all and by minute of the axis. */
  count: number
  counts: number[]
  /** The last minute that has any. */
  lastMinute: number
  /** Of one of the last. */
  traceId: string
}

export function operationShapes(
  { startNs, shapes }: Pick<DrawnTraces, 'startNs' | 'shapes'>,
  axis: MinuteAxis,
): OperationShapes[] {
  const firstMinute = placeOn(axis, startNs)
  const found = new Map<string, OperationShapes>()
  for (const row of shapes) {
    const shape = shapeOn(axis, row, firstMinute)
    if (shape.count === 0) continue
    const key = `${row.serviceName}\n${row.operationName}`
    const known = found.get(key) ?? emptyShapes(row, axis)
    found.set(key, known)
    addTo(known.spans, shape.counts)
    known.shapes.push(shape)
  }
  return [...found.values()]
}

/** How many spans did what any of these shapes is, by minute. */
export function countsOf(shapes: Shape[], minutes: number): number[] {
  const counts = new Array<number>(minutes).fill(0)
  for (const shape of shapes) addTo(counts, shape.counts)
  return counts
}

export function countOf(shapes: Shape[]): number {
  let sum = 0
  for (const { count } of shapes) sum += count
  return sum
}

/** Of the shape that was seen last; of the most common one where several were. */
export function newestTraceOf(shapes: Shape[]): string {
  let newest: Shape | undefined
  for (const shape of shapes) if (newest === undefined || isNewer(shape, newest)) newest = shape
  return newest?.traceId ?? ''
}

function isNewer(shape: Shape, other: Shape): boolean {
  if (shape.lastMinute !== other.lastMinute) return shape.lastMinute > other.lastMinute
  return shape.count > other.count
}

/** What was counted off the axis is left out. */
function shapeOn(axis: MinuteAxis, { steps, counts, traceId }: SpanShape, firstMinute: number): Shape {
  const shape = {
    steps: new Set(steps),
    count: 0,
    counts: new Array<number>(axis.length).fill(0),
    lastMinute: 0,
    traceId,
  }
  for (let i = Math.max(0, -firstMinute); i < counts.length && firstMinute + i < axis.length; i++) {
    const count = counts[i] as number
    if (count === 0) continue
    shape.count += count
    shape.counts[firstMinute + i] = count
    shape.lastMinute = firstMinute + i
  }
  return shape
}

function emptyShapes({ serviceName, operationName }: SpanShape, { length }: MinuteAxis): OperationShapes {
  return { serviceName, operationName, spans: new Array<number>(length).fill(0), shapes: [] }
}

function addTo(sums: number[], counts: number[]): void {
  for (let minute = 0; minute < counts.length; minute++)
    sums[minute] = (sums[minute] as number) + (counts[minute] as number)
}
