import { expect, it } from 'vitest'
import { Kernel, type Process } from './kernel.ts'
import { Processor } from './processor.ts'

function finishTimes(cores: number, jobs: { atMs: number; workMs: number }[], speed = 1): number[] {
  const kernel = new Kernel()
  const processor = new Processor(kernel, cores)
  processor.speed = speed
  const doneMs: number[] = []
  function* job(index: number, workMs: number): Process<void> {
    yield* processor.compute(workMs)
    doneMs[index] = Math.round(kernel.nowMs * 1000) / 1000
  }
  jobs.forEach(({ atMs, workMs }, index) => {
    kernel.after(atMs, () => kernel.spawn(job(index, workMs)))
  })
  kernel.runUntil(10_000)
  return doneMs
}

it('gives a single job one core at most, however many there are', () => {
  expect(finishTimes(4, [{ atMs: 0, workMs: 10 }])).toEqual([10])
})

it('takes longer where the limit is below one core, or the processor is slowed down', () => {
  expect(finishTimes(0.5, [{ atMs: 0, workMs: 10 }])).toEqual([20])
  expect(finishTimes(1, [{ atMs: 0, workMs: 10 }], 0.1)).toEqual([100])
})

it('shares the cores evenly among all who compute at once', () => {
  const jobs = [
    { atMs: 0, workMs: 10 },
    { atMs: 0, workMs: 20 },
    { atMs: 5, workMs: 5 },
  ]
  // 0–5: two jobs at half speed; 5–20: three at a third, until the first and the last have had their 7.5 and 5 ms more.
  expect(finishTimes(1, jobs)).toEqual([25, 35, 20])
})

it('counts the time for which its cores were busy', () => {
  const kernel = new Kernel()
  const processor = new Processor(kernel, 2)
  for (const workMs of [10, 10, 10]) kernel.spawn(processor.compute(workMs))
  kernel.runUntil(100)
  expect(processor.busyCoreMs).toBeCloseTo(30)
})
