import { CompiledBatch } from './compiled-batch.ts'
import { encodeLog } from './encode-log.ts'
import { encodeSpan } from './encode-span.ts'
import { FilledWindow, type WindowTime } from './filled-window.ts'
import type { RecordKind } from './load-options.ts'
import { Random } from './random.ts'
import { simulatedServices } from './simulated-services.ts'
import { BATCHES_PER_WINDOW, planWindow, type WindowTemplate } from './window-template.ts'

/** Enough that what repeats in the texts is what repeats in life: services, operations, addresses, browsers. */
const WINDOW_TEMPLATES = 4

const ENCODERS = { spans: encodeSpan, logs: encodeLog }

export interface GeneratorOptions {
  seed: number
  spansPerBatch: number
  records?: RecordKind
  /** Asked once for each window, with the number of spans before it. */
  timeOf: (spansBefore: number, spansInWindow: number) => WindowTime
}

/** A request body that is ready to be sent, in memory that the caller gave. */
export interface Batch {
  body: Buffer
  spanCount: number
  /** Of each span, its trace id and its own. */
  ids(): Buffer
}

export interface ServiceShare {
  name: string
  shareOfSpans: number
}

/**
 * Makes OTLP requests of a simulated system faster than any server takes them: bodies are encoded once, and each time
 * they are sent only ids, times, users, addresses and numbers in them change.
 */
export class SpanGenerator {
  readonly services: ServiceShare[]
  readonly bodyBytesMax: number
  readonly bytesPerSpan: number
  private readonly random: Random
  private readonly options: GeneratorOptions
  private readonly windows: CompiledBatch[][]
  private readonly filled: FilledWindow
  private readonly spansPerWindow: number
  private batchesMade = 0

  constructor(options: GeneratorOptions) {
    this.options = options
    this.random = new Random(options.seed)
    // The system is always the same; the seed decides what happens in it.
    const planning = new Random(1)
    const services = simulatedServices(planning)
    const templates = Array.from({ length: WINDOW_TEMPLATES }, () =>
      planWindow(planning, services, options.spansPerBatch, ENCODERS[options.records ?? 'spans']),
    )
    this.windows = templates.map(({ batches }) => batches.map((batch) => new CompiledBatch(batch)))
    this.spansPerWindow = options.spansPerBatch * BATCHES_PER_WINDOW
    const tracesMax = Math.max(...templates.map(({ traceCount }) => traceCount))
    this.filled = new FilledWindow(this.random, tracesMax, this.spansPerWindow)
    this.services = sharesOf(templates)
    const bodies = this.windows.flat().map(({ bodyBytes }) => bodyBytes)
    this.bodyBytesMax = Math.max(...bodies)
    this.bytesPerSpan = bodies.reduce((sum, bytes) => sum + bytes, 0) / (WINDOW_TEMPLATES * this.spansPerWindow)
  }

  /** The next batch, written into `target`, which holds `bodyBytesMax` bytes. */
  next(target: Buffer): Batch {
    const inWindow = this.batchesMade % BATCHES_PER_WINDOW
    const windowsBefore = Math.floor(this.batchesMade / BATCHES_PER_WINDOW)
    if (inWindow === 0)
      this.filled.fill(this.random, this.options.timeOf(windowsBefore * this.spansPerWindow, this.spansPerWindow))
    const batch = this.windows[windowsBefore % WINDOW_TEMPLATES]?.[inWindow] as CompiledBatch
    batch.write(target, this.filled, this.random)
    this.batchesMade++
    const body = target.subarray(0, batch.bodyBytes)
    return { body, spanCount: batch.spanCount, ids: () => batch.idsIn(body) }
  }
}

function sharesOf(templates: WindowTemplate[]): ServiceShare[] {
  const counts = new Map<string, number>()
  let total = 0
  for (const { span } of templates.flatMap(({ batches }) => batches.flatMap(({ spans }) => spans))) {
    counts.set(span.plan.service.name, (counts.get(span.plan.service.name) ?? 0) + 1)
    total++
  }
  return [...counts].map(([name, count]) => ({ name, shareOfSpans: count / total }))
}
