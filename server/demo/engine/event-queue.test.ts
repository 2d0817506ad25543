import { expect, it } from 'vitest'
import { EventQueue } from './event-queue.ts'
import { Random } from './random.ts'

it('gives events back by time, and those of one moment in the order in which they were scheduled', () => {
  const queue = new EventQueue()
  const random = new Random('queue')
  const expected: [number, number][] = []
  const ran: [number, number][] = []
  for (let i = 0; i < 2000; i += 1) {
    const atMs = random.integer(50)
    const event = queue.schedule(atMs, () => ran.push([atMs, i]))
    event.cancelled = i % 7 === 0
    if (!event.cancelled) expected.push([atMs, i])
  }
  for (let event = queue.takeDue(100); event !== undefined; event = queue.takeDue(100)) event.run()
  expect(ran).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]))
})

it('keeps back what is not due yet', () => {
  const queue = new EventQueue()
  queue.schedule(10, () => {})
  expect(queue.takeDue(9.9)).toBeUndefined()
  expect(queue.takeDue(10)?.atMs).toBe(10)
})
