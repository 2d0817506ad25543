import { expect, it } from 'vitest'
import { createQuestionSlots } from './question-slots.ts'

/** A question that ends when it is told to. */
function held() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { question: () => ended, end }
}

it('lets a question wait for its turn, in the order of asking', async () => {
  const slots = createQuestionSlots({ perCaller: 1, waitMs: 60_000 })
  const first = held()
  const order: string[] = []
  const running = slots.run('a', first.question)
  const second = slots.run('a', async () => order.push('second'))
  const third = slots.run('a', async () => order.push('third'))
  await slots.run('b', async () => order.push('another caller'))
  first.end()
  await Promise.all([running, second, third])
  expect(order).toEqual(['another caller', 'second', 'third'])
})

it('refuses a question whose turn does not come in time, and serves the next one', async () => {
  const slots = createQuestionSlots({ perCaller: 2, waitMs: 5 })
  const holding = [held(), held()]
  const running = holding.map(({ question }) => slots.run('a', question))
  await expect(slots.run('a', async () => 'late')).rejects.toMatchObject({ kind: 'too-many-questions' })
  for (const { end } of holding) end()
  await Promise.all(running)
  expect(await slots.run('a', async () => 'served')).toBe('served')
})

it('frees the slot of a question that fails', async () => {
  const slots = createQuestionSlots({ perCaller: 1, waitMs: 5 })
  const failing = slots.run('a', async () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  expect(await slots.run('a', async () => 'served')).toBe('served')
})
