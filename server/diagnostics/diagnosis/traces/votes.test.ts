import { describe, expect, it } from 'vitest'
import { type SpanLiteral, spanOf, traceSpanOf } from '../../../storage/conformance/span-builder.ts'
import { exclusiveMs } from './exclusive-time.ts'
import { nodeOf, type SpanNode, spanForest } from './span-forest.ts'
import { usualTimes } from './time-by-place.ts'
import { type Vote, voteOf } from './vote.ts'
import { WholeSpans } from './whole-spans.ts'

const SERVICES = new Set(['web', 'cart', 'stock'])

/** The first span is the request. */
function traceOf(...literals: SpanLiteral[]): SpanNode {
  const spans = literals.map(traceSpanOf)
  const node = nodeOf(spanForest(spans), spans[0] as (typeof spans)[number])
  if (node === undefined) throw new Error('A trace has at least one span.')
  return node
}

const web = (durationMs: number, more: SpanLiteral = {}): SpanLiteral => ({
  id: '1',
  service: 'web',
  kind: 'SERVER',
  durationMs,
  ...more,
})
const callToCart = (durationMs: number, more: SpanLiteral = {}): SpanLiteral => ({
  id: '2',
  parent: '1',
  service: 'web',
  kind: 'CLIENT',
  atMs: 2,
  durationMs,
  attributes: { 'server.address': 'cart' },
  ...more,
})
const cart = (durationMs: number, more: SpanLiteral = {}): SpanLiteral => ({
  id: '3',
  parent: '2',
  service: 'cart',
  kind: 'SERVER',
  atMs: 3,
  durationMs,
  ...more,
})
const redis = (durationMs: number, more: SpanLiteral = {}): SpanLiteral => ({
  id: '4',
  parent: '3',
  service: 'cart',
  kind: 'CLIENT',
  atMs: 4,
  durationMs,
  attributes: { 'db.system.name': 'redis', 'db.namespace': '0' },
  ...more,
})
const failed = (type: string, message = ''): SpanLiteral => ({
  status: 'ERROR',
  events: [{ name: 'exception', timeNs: 1n, attributes: { 'exception.type': type, 'exception.message': message } }],
})

const USUAL = usualTimes([traceOf(web(20), callToCart(12), cart(10), redis(2))], SERVICES)

function voteOn(...literals: SpanLiteral[]): Vote | undefined {
  const origins = new WholeSpans(literals.map(spanOf))
  return voteOf(traceOf(...literals), { usual: USUAL, services: SERVICES, origins })
}

describe('exclusive time', () => {
  it('is what is left without the children, overlapping ones counted once', () => {
    const child = (id: string, atMs: number, durationMs: number) => ({
      id,
      parent: '1',
      service: 'web',
      atMs,
      durationMs,
    })
    expect(exclusiveMs(traceOf(web(100), child('2', 10, 30), child('3', 20, 40), child('4', 70, 10)))).toBe(40)
  })

  it('counts a child only as far as it lies within the parent', () => {
    expect(exclusiveMs(traceOf(web(100), { id: '2', parent: '1', service: 'web', atMs: 90, durationMs: 500 }))).toBe(90)
  })

  it('believes that another service worked within the call, whatever its clock says', () => {
    expect(exclusiveMs(traceOf(callToCart(20), cart(15, { atMs: -5000 })))).toBe(5)
    expect(exclusiveMs(traceOf(callToCart(20), cart(15, { atMs: 5000 })))).toBe(5)
  })

  it('does not count who takes a message as waiting', () => {
    const send: SpanLiteral = { id: '1', service: 'web', kind: 'PRODUCER', durationMs: 5 }
    const take: SpanLiteral = { id: '2', parent: '1', service: 'mail', kind: 'CONSUMER', atMs: 1, durationMs: 900 }
    expect(exclusiveMs(traceOf(send, take))).toBe(5)
  })
})

describe('a slow request names', () => {
  it('the service that took longer itself', () => {
    const vote = voteOn(web(520), callToCart(512), cart(510), redis(2))
    expect(vote).toMatchObject({ by: 'time', place: { at: 'inside', serviceName: 'cart' }, addedMs: 500 })
  })

  it('the dependency that answered late', () => {
    const vote = voteOn(web(520), callToCart(512), cart(510), redis(502))
    expect(vote?.place).toEqual({ at: 'call', serviceName: 'cart', targetName: 'redis/0', targetIsService: false })
  })

  it('the way between two services', () => {
    const vote = voteOn(web(520), callToCart(512), cart(10, { atMs: 250 }), redis(2, { atMs: 251 }))
    expect(vote?.place).toEqual({ at: 'network', serviceName: 'web', targetName: 'cart' })
  })

  it('nothing where nothing took longer than usual', () => {
    expect(voteOn(web(20), callToCart(12), cart(10), redis(2))).toBeUndefined()
  })
})

describe('a failed request names', () => {
  it('where the error has no error below it', () => {
    const vote = voteOn(web(20, { status: 'ERROR' }), callToCart(12, { status: 'ERROR' }), cart(10, failed('Oops')))
    expect(vote).toMatchObject({
      by: 'error',
      place: { at: 'inside', serviceName: 'cart' },
      failure: { class: 'other', type: 'Oops', isException: true },
    })
  })

  it('the dependency whose call failed, through spans that did not', () => {
    const work: SpanLiteral = { id: '9', parent: '3', service: 'cart', atMs: 3, durationMs: 9 }
    const vote = voteOn(
      web(20, { status: 'ERROR' }),
      callToCart(12, { status: 'ERROR' }),
      cart(10, { status: 'ERROR' }),
      work,
      redis(2, { parent: '9', ...failed('ECONNREFUSED', 'connection refused') }),
    )
    expect(vote).toMatchObject({ place: { at: 'call', targetName: 'redis/0' }, failure: { class: 'refused' } })
  })

  it('the service that was not reached', () => {
    const vote = voteOn(web(20, { status: 'ERROR' }), callToCart(1, failed('ECONNREFUSED')))
    expect(vote?.place).toEqual({ at: 'call', serviceName: 'web', targetName: 'cart', targetIsService: true })
  })

  it('the service that was not reached by another one, which sends no spans', () => {
    const call = { attributes: { 'server.address': 'proxy' } }
    const passedOn = failed('ConnectError', 'connect stock:8080: connection refused')
    expect(voteOn(web(20, { status: 'ERROR' }), callToCart(1, { ...passedOn, ...call }))?.place).toMatchObject({
      targetName: 'stock',
      targetIsService: true,
    })
    const own = failed('ConnectError', 'connect proxy:8080: connection refused')
    expect(voteOn(web(20, { status: 'ERROR' }), callToCart(1, { ...own, ...call }))?.place).toMatchObject({
      targetName: 'proxy',
      targetIsService: false,
    })
  })

  it('whoever was too slow, where the caller did not wait any longer', () => {
    const vote = voteOn(
      web(1000, { status: 'ERROR' }),
      callToCart(998, failed('TimeoutError', 'no answer within 998 ms')),
      cart(4000),
      redis(3990),
    )
    expect(vote).toMatchObject({
      by: 'time',
      place: { at: 'call', targetName: 'redis/0' },
      failure: { class: 'timeout' },
    })
  })

  it('the caller, where it no longer waits as long as an answer usually takes', () => {
    const vote = voteOn(
      web(8, { status: 'ERROR' }),
      callToCart(6, failed('TimeoutError', 'no answer within 6 ms')),
      cart(11),
      redis(2),
    )
    expect(vote).toMatchObject({ by: 'error', place: { at: 'inside', serviceName: 'web' } })
  })

  it('the callee whose answer only the caller calls a failure', () => {
    const refused: SpanLiteral = { status: 'ERROR', attributes: { 'server.address': 'cart', 'error.type': '404' } }
    const vote = voteOn(web(20, { status: 'ERROR' }), callToCart(12, refused), cart(10))
    expect(vote).toMatchObject({ by: 'error', place: { at: 'inside', serviceName: 'cart' }, failure: { type: '404' } })
  })

  it('the last attempt, where earlier ones failed otherwise', () => {
    const first = callToCart(2, failed('ECONNRESET'))
    const second = callToCart(2, { id: '7', atMs: 10, ...failed('TimeoutError') })
    expect(voteOn(web(20, { status: 'ERROR' }), first, second)?.failure?.type).toBe('TimeoutError')
  })
})
