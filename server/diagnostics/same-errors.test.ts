import { describe, expect, it } from 'vitest'
import { type SpanLiteral, spanOf } from '../storage/conformance/span-builder.ts'
import { WHOLE_WINDOW } from '../storage/conformance/test-time.ts'
import { failuresOf } from '../storage/memory/failures-in.ts'
import { sameErrors } from './same-errors.ts'

/** The ids of spans that are one error, innermost first; errors by their first id. */
const same = (...literals: SpanLiteral[]) => {
  const { alone, together } = sameErrors(failuresOf(literals.map(spanOf), WHOLE_WINDOW))
  return [...alone.map((row) => [row]), ...together].map((rows) => rows.map((row) => literals[row]?.id)).sort()
}

const server = (id: string, literal: SpanLiteral = {}): SpanLiteral => ({
  id,
  parent: 'ffffff',
  kind: 'SERVER',
  durationMs: 100,
  ...literal,
})
const call = (id: string, parent: string, literal: SpanLiteral = {}): SpanLiteral => ({
  id,
  parent,
  kind: 'CLIENT',
  atMs: 10,
  durationMs: 20,
  ...literal,
})

describe('sameErrors', () => {
  it('keeps errors of different traces apart', () => {
    expect(same(server('1', { trace: 'a' }), call('2', '1', { trace: 'b' }))).toEqual([['1'], ['2']])
  })

  it('takes an error under another for the same, however deep and in whatever order', () => {
    const deep = [call('3', '2', { atMs: 12 }), server('1'), call('2', '1', { kind: 'INTERNAL' })]
    expect(same(...deep)).toEqual([['3', '2', '1']])
    expect(same(...deep.toReversed())).toEqual([['3', '2', '1']])
  })

  it('takes several errors under one for that one', () => {
    expect(same(server('1'), call('2', '1'), call('3', '1', { atMs: 40 }))).toEqual([['3', '2', '1']])
  })

  it('counts errors apart whose common parent did not fail', () => {
    expect(same(call('2', 'e0'), call('3', 'e0', { atMs: 12, durationMs: 5 }))).toEqual([['2'], ['3']])
  })

  it('takes a call under a span that did not fail for part of the failed request that it ran in', () => {
    expect(same(server('1'), call('2', 'e0'))).toEqual([['2', '1']])
    expect(same(call('2', 'e0'), server('1'))).toEqual([['2', '1']])
  })

  it('does not where the call outlived the request, or came before it', () => {
    expect(same(server('1'), call('2', 'e0', { durationMs: 95 }))).toEqual([['1'], ['2']])
    expect(same(server('1', { atMs: 50 }), call('2', 'e0'))).toHaveLength(2)
  })

  it('counts two requests of one trace apart, also where one ran during the other', () => {
    expect(same(server('1'), server('2', { atMs: 10, durationMs: 20 }))).toHaveLength(2)
  })

  it('takes a request under another of the same service for the same, where it is its child', () => {
    expect(same(server('1'), server('2', { parent: '1', atMs: 10, durationMs: 20 }))).toEqual([['2', '1']])
  })

  it('finds the innermost request around a call', () => {
    const groups = same(
      server('1'),
      server('2', { atMs: 5, durationMs: 50 }),
      call('3', 'e0'),
      server('4', { atMs: 6, durationMs: 2 }),
      call('5', 'e0', { atMs: 60 }),
    )
    expect(groups).toEqual([['3', '2'], ['4'], ['5', '1']])
  })

  it('is not confused by a call that outlives the request around it', () => {
    const groups = same(server('1'), call('2', 'e0', { durationMs: 500 }), call('3', 'e0', { atMs: 20 }))
    expect(groups).toEqual([['2'], ['3', '1']])
  })

  it('takes the child for the inner one although both began at the same moment', () => {
    const literal = { atMs: 0, durationMs: 100 }
    expect(same(server('1', literal), call('2', '1', literal))).toEqual([['2', '1']])
    expect(same(call('2', '1', literal), server('1', literal))).toEqual([['2', '1']])
  })

  it('ends with spans that name themselves or each other as parents', () => {
    expect(same(call('1', '1'), call('2', '3'), call('3', '2')).flat().sort()).toEqual(['1', '2', '3'])
  })

  it('takes very many errors in one trace, nested or side by side', () => {
    const nested = Array.from({ length: 20_000 }, (_, i) => server((i + 1).toString(16), { parent: i.toString(16) }))
    expect(same(...nested)).toHaveLength(1)
    const apart = Array.from({ length: 20_000 }, (_, i) =>
      server((i + 1).toString(16), { atMs: i, durationMs: 40_000 - 2 * i }),
    )
    expect(same(...apart)).toHaveLength(20_000)
  })
})
