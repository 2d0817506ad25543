import { expect, it } from 'vitest'
import { Lane } from './lane.ts'

/** A receiver that answers when it is told to. */
function createReceiver() {
  const waiting: { batch: number[]; answer: (error?: Error) => void }[] = []
  const receive = (batch: number[]): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ batch, answer: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  return { waiting, receive }
}

function createLane(receive: (batch: number[]) => Promise<void>, failures: string[] = []): Lane<number> {
  return new Lane({
    batchMax: 2,
    inFlightMax: 2,
    export: receive,
    countOf: () => 1,
    onFailure: (error, count) => failures.push(`${count}: ${error.message}`),
  })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('makes the sender wait while too many batches are under way', async () => {
  const { waiting, receive } = createReceiver()
  const lane = createLane(receive)
  let isAdded = false
  const adding = lane.add([1, 2, 3, 4, 5, 6]).then(() => {
    isAdded = true
  })
  await turn()
  expect(waiting.map(({ batch }) => batch)).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(isAdded).toBe(false)
  waiting[0]?.answer()
  await adding
  expect(waiting.map(({ batch }) => batch)).toContainEqual([5, 6])
})

it('counts what was acknowledged and what failed', async () => {
  const { waiting, receive } = createReceiver()
  const failures: string[] = []
  const lane = createLane(receive, failures)
  await lane.add([1, 2, 3])
  const settled = lane.settle()
  waiting[0]?.answer()
  waiting[1]?.answer(new Error('no room'))
  await settled
  expect(lane.counts).toEqual({ acknowledged: 2, failed: 1 })
  expect(failures).toEqual(['1: no room'])
})

it('waits for nobody once it is hurried, and counts what was never answered as failed', async () => {
  const { receive } = createReceiver()
  const lane = createLane(receive)
  const adding = lane.add([1, 2, 3, 4, 5, 6, 7])
  await turn()
  lane.hurry()
  await adding
  lane.abandon()
  expect(lane.counts).toEqual({ acknowledged: 0, failed: 7 })
})
