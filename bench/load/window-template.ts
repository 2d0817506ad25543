import { type BatchTemplate, type Encode, encodeBatch, type WindowSpan } from './batch-template.ts'
import type { Random } from './random.ts'
import type { SimulatedService } from './simulated-services.ts'
import { planTrace } from './trace-plan.ts'

/** How many requests the spans of a window are spread over: those of a trace arrive in several, as in life. */
export const BATCHES_PER_WINDOW = 8

export interface WindowTemplate {
  traceCount: number
  spanCount: number
  batches: BatchTemplate[]
}

/** Traces of about the same moment, whose spans are sent by instance: whole traces, in requests of `spansPerBatch`. */
export function planWindow(
  random: Random,
  services: SimulatedService[],
  spansPerBatch: number,
  encode: Encode,
): WindowTemplate {
  const spanCount = spansPerBatch * BATCHES_PER_WINDOW
  const spans: WindowSpan[] = []
  let traceCount = 0
  while (spans.length < spanCount) {
    const first = spans.length
    for (const plan of planTrace(random, services, spanCount - first)) {
      // From here on, a parent is named by its slot in the window.
      if (plan.parent >= 0) plan.parent += first
      spans.push({ plan, traceSlot: traceCount, spanSlot: spans.length })
    }
    traceCount++
  }
  const sorted = inOrderOfSending(random, services, spans)
  const batches = Array.from({ length: BATCHES_PER_WINDOW }, (_, i) =>
    encodeBatch(sorted.slice(i * spansPerBatch, (i + 1) * spansPerBatch), random, encode),
  )
  return { traceCount, spanCount, batches }
}

function inOrderOfSending(random: Random, services: SimulatedService[], spans: WindowSpan[]): WindowSpan[] {
  const turns = new Map(services.map((service) => [service, service.instances.map(() => random.unit())]))
  const turnOf = ({ plan }: WindowSpan) => turns.get(plan.service)?.[plan.instance] ?? 0
  return spans.sort((a, b) => turnOf(a) - turnOf(b) || a.spanSlot - b.spanSlot)
}
