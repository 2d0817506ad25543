import type { Span } from '../../../domain/span.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import { ancestorsOf, nodeOf, type SpanForest, spanKey } from '../traces/span-forest.ts'
import { WholeSpans } from '../traces/whole-spans.ts'
import { readWhole } from './read-whole.ts'

/** The spans that led to requests, whole. Several charges ask about the same ones, which are read once. */
export class Ancestors {
  private readonly reader: DiagnosticsReader
  private readonly known = new Map<string, Promise<Span | undefined>>()

  constructor(reader: DiagnosticsReader) {
    this.reader = reader
  }

  /** Of each request the nearest first. */
  async of(requests: Span[], forest: SpanForest): Promise<Map<Span, Span[]>> {
    const above = requests.map((request) => {
      const node = nodeOf(forest, request)
      return node ? ancestorsOf(node) : []
    })
    const missing = [...new Set(above.flat())].filter((span) => !this.known.has(spanKey(span)))
    const reading = readWhole(this.reader, missing).then((spans) => new WholeSpans(spans))
    for (const span of missing)
      this.known.set(
        spanKey(span),
        reading.then((whole) => whole.find(span)),
      )
    const found = above.map((spans) => Promise.all(spans.map((span) => this.known.get(spanKey(span)))))
    const whole = await Promise.all(found)
    return new Map(requests.map((request, i) => [request, (whole[i] ?? []).filter((span) => span !== undefined)]))
  }
}
