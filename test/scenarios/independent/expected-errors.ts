import type { RawGrid } from './raw-figures.ts'
import type { RawSpan } from './raw-span.ts'

interface FoldedError {
  exceptionType: string
  texts: string[]
  /** Undefined where they differ. */
  values: (string | undefined)[]
  count: number
}

/** The most frequent errors among failed spans of a window, one error being all that failed one above the other. */
export function expectedErrors(grid: RawGrid, spans: RawSpan[], serviceName: string) {
  const failed = spans.filter((span) => span.failed && span.service === serviceName)
  const errors = [...sameErrors(grid, failed).values()].map(namedError)
  const folded = new Map<string, FoldedError>()
  for (const { exceptionType, texts, values } of errors) {
    const key = JSON.stringify([exceptionType, texts])
    const known = folded.get(key) ?? { exceptionType, texts, values: [...values], count: 0 }
    known.values = known.values.map((value, i) => (value === values[i] ? value : undefined))
    known.count++
    folded.set(key, known)
  }
  return [...folded.values()]
    .map(({ exceptionType, texts, values, count }) => ({
      exceptionType,
      message: texts.map((text, i) => text + (i < values.length ? (values[i] ?? '*') : '')).join(''),
      count,
      percentage: (count * 100) / errors.length,
    }))
    .sort((a, b) => b.count - a.count || order(a.exceptionType, b.exceptionType) || order(a.message, b.message))
    .slice(0, 10)
}

/** By the outermost failed span of the service; innermost first in each. */
function sameErrors(grid: RawGrid, failed: RawSpan[]): Map<RawSpan, RawSpan[]> {
  const known = new Set(failed)
  const groups = new Map<RawSpan, { span: RawSpan; depth: number }[]>()
  for (const span of failed) {
    let outermost = span
    let depth = 0
    for (let above = grid.parentOf(span); above; above = grid.parentOf(above)) {
      if (!known.has(above)) continue
      outermost = above
      depth++
    }
    groups.set(outermost, [...(groups.get(outermost) ?? []), { span, depth }])
  }
  return new Map(
    [...groups].map(([outermost, own]) => [outermost, own.sort((a, b) => b.depth - a.depth).map(({ span }) => span)]),
  )
}

function namedError(spans: RawSpan[]): { exceptionType: string; texts: string[]; values: string[] } {
  const exception = spans.find((span) => span.exception)?.exception
  if (exception) return { exceptionType: exception.type, texts: exception.texts, values: exception.values }
  const types = spans.map(({ attributes }) => attributes['error.type'] ?? attributes['http.response.status_code'] ?? '')
  return { exceptionType: String(types.find((type) => type !== '') ?? ''), texts: [''], values: [] }
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
