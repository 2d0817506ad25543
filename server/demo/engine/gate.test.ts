import { expect, it } from 'vitest'
import { Gate } from './gate.ts'
import { Kernel, type Process } from './kernel.ts'

function* visit(
  kernel: Kernel,
  gate: Gate,
  stayMs: number,
  timeoutMs: number,
  note: (text: string) => void,
): Process<void> {
  const isIn = yield* gate.enter(timeoutMs)
  note(`${isIn ? 'in' : 'gave up'} at ${kernel.nowMs}`)
  if (!isIn) return
  yield* kernel.sleep(stayMs)
  gate.leave()
}

it('lets in as many as there are places, the others in the order in which they came', () => {
  const kernel = new Kernel()
  const gate = new Gate(kernel, 2)
  const notes: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) {
    kernel.spawn(visit(kernel, gate, 10, Number.POSITIVE_INFINITY, (text) => notes.push(`${name} ${text}`)))
  }
  expect([gate.taken, gate.waiting]).toEqual([2, 2])
  kernel.runUntil(100)
  expect(notes).toEqual(['a in at 0', 'b in at 0', 'c in at 10', 'd in at 10'])
  expect([gate.taken, gate.waiting]).toEqual([0, 0])
})

it('sends away who waited too long, and gives the place to the next', () => {
  const kernel = new Kernel()
  const gate = new Gate(kernel, 1)
  const notes: string[] = []
  kernel.spawn(visit(kernel, gate, 50, 100, (text) => notes.push(`a ${text}`)))
  kernel.spawn(visit(kernel, gate, 50, 20, (text) => notes.push(`b ${text}`)))
  kernel.spawn(visit(kernel, gate, 50, 100, (text) => notes.push(`c ${text}`)))
  kernel.runUntil(200)
  expect(notes).toEqual(['a in at 0', 'b gave up at 20', 'c in at 50'])
  expect(gate.taken).toBe(0)
})

it('is full when all places are taken and the line is as long as it may be', () => {
  const kernel = new Kernel()
  const gate = new Gate(kernel, 1, 1)
  kernel.spawn(visit(kernel, gate, 10, 100, () => {}))
  expect(gate.isFull).toBe(false)
  kernel.spawn(visit(kernel, gate, 10, 100, () => {}))
  expect(gate.isFull).toBe(true)
})
