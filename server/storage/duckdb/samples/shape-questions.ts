import type { TimeWindow } from '../../../domain/time-window.ts'
import type { DrawnLimits, DrawnTraces } from '../../diagnostics-reader.ts'
import type { Scope } from '../scope/scope.ts'
import { callGaps } from './call-gaps.ts'
import { drawSpans } from './drawn-spans.ts'
import { spanShapes } from './span-shapes.ts'
import { SpansBelow } from './spans-below.ts'

export async function drawnTraces(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  { shapesMax, gapsPerMinute }: DrawnLimits,
): Promise<DrawnTraces> {
  const drawn = await drawSpans(scope, window, oneTraceIn)
  const below = new SpansBelow(drawn)
  const shapes = spanShapes(drawn, below, shapesMax)
  return { startNs: drawn.startNs, shapes, gaps: callGaps(drawn, below, gapsPerMinute) }
}
