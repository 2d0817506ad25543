import { expect, it } from 'vitest'
import { times } from '../testing/made-facts.ts'
import { type Circumstance, sharedByRequests } from './shared-attribute.ts'

const requests = (count: number, attributes: Circumstance['attributes']) =>
  times(count, () => ({ attributes, weight: 1 }))
const found = (bad: Circumstance[], good: Circumstance[]) =>
  sharedByRequests({ bad, good }).map(({ key, value }) => `${key} ${value}`)

it('names the value that bad requests share and good ones do not', () => {
  const good = ['a', 'b', 'c', 'd'].flatMap((customer) => requests(10, { customer, tier: 'gold' }))
  expect(found(requests(12, { customer: 'a', tier: 'gold' }), good)).toEqual(['customer a'])
})

it('compares those that have the attribute, where only some of the requests do', () => {
  const bad = [...requests(8, { customer: 'a' }), ...requests(9, {})]
  const good = [...['b', 'c', 'd'].flatMap((customer) => requests(10, { customer })), ...requests(60, {})]
  expect(found(bad, good)).toEqual(['customer a'])
})

it('says nothing where too few have it to tell', () => {
  const bad = [...requests(3, { customer: 'a' }), ...requests(20, {})]
  expect(found(bad, requests(40, { customer: 'b' }))).toEqual([])
})
