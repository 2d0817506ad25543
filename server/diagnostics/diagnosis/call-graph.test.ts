import { expect, it } from 'vitest'
import { callGraph, entriesAbove } from './call-graph.ts'

function edge(sourceName: string, targetName: string, isMessage = false) {
  const none: number[] = []
  const series = { requests: none, errors: none, durationMs: none, unanswered: none }
  return { sourceName, targetName, targetIsService: true, isMessage, ...series }
}

const edges = [
  edge('web', 'checkout'),
  edge('checkout', 'payments'),
  edge('admin', 'payments'),
  edge('payments', 'web'),
  edge('checkout', 'mail', true),
]
const graph = callGraph(edges)

it('finds who suffers from a service, nearest first, also where calls go in circles', () => {
  expect([...graph.callersOf('payments')]).toEqual([
    ['payments', 0],
    ['checkout', 1],
    ['admin', 1],
    ['web', 2],
  ])
})

it('finds nobody who waits for the one who takes messages', () => {
  expect([...graph.callersOf('mail').keys()]).toEqual(['mail'])
})

it('takes for an entry what nobody calls or sends to', () => {
  expect(['admin', 'web', 'mail'].map(graph.isEntry)).toEqual([true, false, false])
})

it('finds where requests come in that reach a service, also by message', () => {
  expect([...entriesAbove('mail', edges)]).toEqual(['admin'])
  expect([...entriesAbove('admin', edges)]).toEqual(['admin'])
  expect([...entriesAbove('b', [edge('a', 'b'), edge('b', 'a')])]).toEqual(['b', 'a'])
})
