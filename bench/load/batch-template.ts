import { keyValue } from './encode-span.ts'
import type { Random } from './random.ts'
import type { PlannedSpan } from './trace-plan.ts'
import { type Blank, WireWriter } from './wire-writer.ts'

/** A span of a window of traces: `traceSlot` and `spanSlot` are where its ids are found while the window is sent. */
export interface WindowSpan {
  plan: PlannedSpan
  traceSlot: number
  spanSlot: number
}

interface SpanBlanks {
  span: WindowSpan
  blanks: Blank[]
}

/** A request body, and where in it what belongs to which span. */
export interface BatchTemplate {
  body: Buffer
  spans: SpanBlanks[]
}

/** A record of a span as a message. */
export type Encode = (span: PlannedSpan, random: Random) => WireWriter

/** A request with a record of each of these spans, those of one instance together: for traces and logs it has the same form. */
export function encodeBatch(spans: WindowSpan[], random: Random, encode: Encode): BatchTemplate {
  const request = new WireWriter()
  const encoded: SpanBlanks[] = []
  for (const group of byInstance(spans)) {
    const scope = new WireWriter().message(1, new WireWriter().string(1, 'shop-instrumentation').string(2, '1.4.0'))
    const messages = group.map((span) => encode(span.plan, random))
    for (const message of messages) scope.message(2, message)
    let next = request.blanks.length
    request.message(1, resourceOf(group[0] as WindowSpan).message(2, scope))
    // The blanks of the request are those of its spans, in order and shifted to where they ended up.
    for (const [i, { blanks }] of messages.entries()) {
      encoded.push({ span: group[i] as WindowSpan, blanks: request.blanks.slice(next, next + blanks.length) })
      next += blanks.length
    }
  }
  return { body: request.finish(), spans: encoded }
}

function resourceOf({ plan }: WindowSpan): WireWriter {
  const resource = new WireWriter()
  for (const [key, value] of Object.entries(plan.service.instances[plan.instance] ?? {}))
    resource.message(1, keyValue(key, value))
  return new WireWriter().message(1, resource)
}

function byInstance(spans: WindowSpan[]): WindowSpan[][] {
  const groups = new Map<string, WindowSpan[]>()
  for (const span of spans) {
    const key = `${span.plan.service.name} ${span.plan.instance}`
    const group = groups.get(key)
    if (group) group.push(span)
    else groups.set(key, [span])
  }
  return [...groups.values()]
}
