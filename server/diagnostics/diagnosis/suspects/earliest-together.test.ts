import { expect, it } from 'vitest'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import { earliestTogether } from './earliest-together.ts'

const at = (minute: number) => BigInt(minute) * NS_PER_MINUTE

it('goes back to the first of the onsets that hang together', () => {
  expect(earliestTogether(at(20), [at(20), at(18), at(17), at(23)])).toBe(at(17))
})

it('leaves out what began long before', () => {
  expect(earliestTogether(at(20), [at(19), at(8), at(20)])).toBe(at(19))
})
