import { describe, expect, it } from 'vitest'
import { callGraph } from '../call-graph.ts'
import { edgeOf, TROUBLE } from '../testing/made-facts.ts'
import { mentionOf, type Report } from './mention.ts'

const edges = [
  edgeOf('web', 'orders'),
  edgeOf('orders', 'stock'),
  edgeOf('orders', 'postgresql/ledger', {}, false),
  edgeOf('web', 'cards.example', {}, false),
  edgeOf('stock', 'cards.example', { errors: [0, 30] }, false),
]
const reported = (serviceName: string, text: string): Report => ({ serviceName, text, episode: TROUBLE })
const meant = (serviceName: string, text: string, others: Report[] = []) =>
  mentionOf(reported(serviceName, text), edges, callGraph(edges), others)

describe('a dependency outside', () => {
  it('is found by its name or its namespace, at the service that calls it', () => {
    const found = { serviceName: 'orders', dependencyName: 'postgresql/ledger' }
    expect(meant('orders', 'cannot reach postgresql/ledger')).toEqual(found)
    expect(meant('orders', 'deadlock on ledger.')).toEqual(found)
    expect(meant('web', 'GET failed: deadlock on ledger')).toEqual(found)
  })

  it('is at the service whose calls to it fail, or that speaks of it too, where several call it', () => {
    expect(meant('web', 'cards.example answered with 503')?.serviceName).toBe('stock')
    const borne = edges.map((edge) => ({ ...edge, errors: edge.errors.map(() => 0) }))
    const of = (others: Report[]) =>
      mentionOf(reported('web', 'cards.example answered with 503'), borne, callGraph(borne), others)?.serviceName
    expect(of([])).toBe('web')
    expect(of([reported('stock', 'no answer of cards.example')])).toBe('stock')
  })

  it('is nobody whom no service below calls', () => {
    expect(meant('mail', 'deadlock on ledger')).toBeUndefined()
  })
})

describe('a service', () => {
  it('is meant where a failed call to it is told of, and of several the furthest', () => {
    expect(meant('web', 'retrying orders: no answer within 500 ms')).toEqual({
      serviceName: 'orders',
      dependencyName: undefined,
    })
    expect(meant('web', 'retrying orders: stock: all 16 workers are busy')?.serviceName).toBe('stock')
  })

  it('is not meant by who merely uses the word, by itself, or by those it calls', () => {
    expect(meant('web', 'too many orders in the cart')).toBeUndefined()
    expect(meant('orders', 'orders: all 16 workers are busy')).toBeUndefined()
    expect(meant('stock', 'orders: no answer')).toBeUndefined()
  })
})
