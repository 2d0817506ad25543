import { lnChoose } from './ln-choose.ts'
import { twoSidedP } from './two-sided.ts'

export interface Share {
  /** So many, */
  part: number
  /** of so many. */
  whole: number
}

/**
 * Fisher's exact test, two-sided: how likely it is that two shares which are the same in truth differ at least as much as
 * these by chance. It holds at any count, also where one of the parts is 0; 1 where nothing can be told.
 */
export function fisherExactP(before: Share, after: Share): number {
  const parts = before.part + after.part
  const whole = before.whole + after.whole
  const lnAll = lnChoose(whole, parts)
  return twoSidedP(
    {
      from: Math.max(0, parts - before.whole),
      to: Math.min(parts, after.whole),
      lnProbability: (part) => lnChoose(after.whole, part) + lnChoose(before.whole, parts - part) - lnAll,
      ratioUp: (part) => ((parts - part) * (after.whole - part)) / ((part + 1) * (before.whole - parts + part + 1)),
    },
    after.part,
  )
}
