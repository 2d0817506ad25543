import type { SpanShape } from '../../../storage/diagnostics-reader.ts'
import { indexOn, type MinuteAxis } from '../series/minute-axis.ts'

/** What spans of one operation did, by minute of an axis. */
export interface OperationShapes {
  serviceName: string
  operationName: string
  /** How many spans there were, by minute. */
  spans: number[]
  shapes: { minute: number; steps: ReadonlySet<string>; count: number; traceId: string }[]
}

export function operationShapes(rows: SpanShape[], axis: MinuteAxis): OperationShapes[] {
  const found = new Map<string, OperationShapes>()
  for (const { serviceName, operationName, minuteNs, steps, spanCount, traceId } of rows) {
    const minute = indexOn(axis, minuteNs)
    if (minute === undefined) continue
    const key = `${serviceName}\n${operationName}`
    const known = found.get(key) ?? emptyShapes(serviceName, operationName, axis)
    found.set(key, known)
    known.spans[minute] = (known.spans[minute] ?? 0) + spanCount
    known.shapes.push({ minute, steps: new Set(steps), count: spanCount, traceId })
  }
  return [...found.values()]
}

function emptyShapes(serviceName: string, operationName: string, { length }: MinuteAxis): OperationShapes {
  return { serviceName, operationName, spans: new Array<number>(length).fill(0), shapes: [] }
}
