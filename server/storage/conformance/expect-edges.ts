import { expect } from 'vitest'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { Edge } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { DAY_WINDOW } from './test-time.ts'

/**
 * Just these edges, in any order. `shop CLIENT pay 3` are three calls to a service; something else that is called stands in
 * brackets; failed and unanswered calls are named where there are any: `shop CLIENT [redis] 3, 2 failed, 1 unanswered`.
 */
export async function expectEdges(
  reader: TelemetryReader,
  edges: string[],
  window: TimeWindow = DAY_WINDOW,
): Promise<void> {
  const found = await reader.edges(window)
  expect(found.map(lineOf).toSorted()).toEqual(edges.toSorted())
}

function lineOf(edge: Edge): string {
  const target = edge.targetIsService ? edge.targetName : `[${edge.targetName}]`
  const failed = edge.errorCount > 0 ? `, ${edge.errorCount} failed` : ''
  const unanswered = edge.unansweredErrorCount > 0 ? `, ${edge.unansweredErrorCount} unanswered` : ''
  return `${edge.sourceName} ${edge.kind} ${target} ${edge.requestCount}${failed}${unanswered}`
}
