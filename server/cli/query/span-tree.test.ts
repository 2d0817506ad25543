import { describe, expect, it } from 'vitest'
import { treeOf } from './span-tree.ts'

function span(spanId: string, parentSpanId: string | null, second = 0) {
  return { spanId, parentSpanId, startTime: new Date(second * 1000).toISOString() }
}

function shape(spans: ReturnType<typeof span>[]): string[] {
  return treeOf(spans).map((node) => `${'.'.repeat(node.depth)}${node.span.spanId}@${node.offsetMs}`)
}

describe('the spans of a trace', () => {
  it('stand under their parents, in their order', () => {
    const spans = [span('a', null, 1), span('b', 'a', 2), span('c', 'a', 3), span('d', 'b', 4)]
    expect(shape(spans)).toEqual(['a@0', '.b@1000', '..d@3000', '.c@2000'])
  })

  it('stand at the top where their parent is not there', () => {
    expect(shape([span('b', 'gone'), span('c', 'b')])).toEqual(['b@0', '.c@0'])
  })

  it('are all shown where they name each other as parents', () => {
    expect(shape([span('a', 'b'), span('b', 'a'), span('c', 'c')])).toEqual(['a@0', '.b@0', 'c@0'])
  })

  it('may be a chain of any length', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => span(String(i), i === 0 ? null : String(i - 1)))
    expect(treeOf(chain)).toHaveLength(20_000)
  })
})
