import type { Knot } from '../../../server/diagnostics/diagnosis/answer/calibration.ts'
import type { Claim } from './calibration.ts'

/** Claims with scores next to each other, and how many of them are right. */
interface Block {
  n: number
  right: number
  scoreSum: number
}

/** A step with fewer claims says too little of its own. */
const BLOCK_MIN = 10

/**
 * How often claims are right by their score, as points to be joined by straight lines. They are the steps that never fall while the
 * score rises and are the closest to the claims of all such steps (pool adjacent violators), small ones joined; each drawn a
 * little to the middle, as if one more claim were right and one more wrong, since no number of claims makes sure.
 */
export function knotsOf(scores: Claim[]): Knot[] {
  const ascending = scores.toSorted((a, b) => a.confidence - b.confidence)
  const single = ascending.map(({ confidence, isRight }) => ({ n: 1, right: isRight ? 1 : 0, scoreSum: confidence }))
  const steps = joined(single, (last, next) => meanOf(last) === meanOf(next) || shareOf(last) >= shareOf(next))
  const large = joined(steps, (last, next) => last.n < BLOCK_MIN || next.n < BLOCK_MIN)
  return large.map((block) => [rounded(meanOf(block)), rounded((block.right + 1) / (block.n + 2))])
}

/** Neighbours are put together, again and again, as long as they must be. */
function joined(blocks: Block[], mustJoin: (last: Block, next: Block) => boolean): Block[] {
  const done: Block[] = []
  for (const each of blocks) {
    let block = each
    for (let last = done.at(-1); last && mustJoin(last, block); last = done.at(-1)) {
      block = { n: last.n + block.n, right: last.right + block.right, scoreSum: last.scoreSum + block.scoreSum }
      done.pop()
    }
    done.push(block)
  }
  return done
}

function meanOf({ scoreSum, n }: Block): number {
  return scoreSum / n
}

function shareOf({ right, n }: Block): number {
  return right / n
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
