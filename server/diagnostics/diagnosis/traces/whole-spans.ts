import type { Span } from '../../../domain/span.ts'
import { type SpanId, spanKey } from './span-forest.ts'

/** Those few spans of a forest of which all is known. */
export class WholeSpans {
  private readonly byKey: ReadonlyMap<string, Span>

  constructor(spans: Span[]) {
    this.byKey = new Map(spans.map((span) => [spanKey(span), span]))
  }

  find(span: SpanId): Span | undefined {
    return this.byKey.get(spanKey(span))
  }
}
