import { expect, it } from 'vitest'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { callGraph } from '../call-graph.ts'
import { edgeOf, TROUBLE } from '../testing/made-facts.ts'
import type { BrokenHabit } from './habit.ts'
import { mentionedDependency } from './mentioned-dependency.ts'

const edges = [edgeOf('web', 'orders'), edgeOf('orders', 'postgresql/ledger', {}, false)]
const graph = callGraph(edges)

function reported(serviceName: string, example: string, way: BrokenHabit['way'] = 'new'): BrokenHabit {
  return {
    ...{ serviceName, operationName: '', of: 'statement', way, name: '', given: '', example, severityNumber: 17 },
    ...{ episode: TROUBLE, onsetNs: atNs(0), before: { part: 0, whole: 50 }, during: { part: 9, whole: 10 } },
    ...{ pValue: 0, traceId: '' },
  }
}

it('is found by its name or its namespace, at the service that calls it', () => {
  const found = { serviceName: 'orders', targetName: 'postgresql/ledger' }
  expect(mentionedDependency(reported('orders', 'cannot reach postgresql/ledger'), edges, graph)).toEqual(found)
  expect(mentionedDependency(reported('orders', 'deadlock on ledger.'), edges, graph)).toEqual(found)
})

it('is found below the service that passes the words on', () => {
  expect(mentionedDependency(reported('web', 'GET failed: deadlock on ledger'), edges, graph)?.serviceName).toBe(
    'orders',
  )
})

it('is not found in part of a word, in what is not new, or where nobody below calls it', () => {
  expect(mentionedDependency(reported('orders', 'bad ledgers'), edges, graph)).toBeUndefined()
  expect(mentionedDependency(reported('orders', 'on ledger', 'missing'), edges, graph)).toBeUndefined()
  expect(mentionedDependency(reported('mail', 'on ledger'), edges, graph)).toBeUndefined()
})
