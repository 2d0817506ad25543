import { describe, expect, it } from 'vitest'
import { cutMessage, foldedMessage, MESSAGE_LENGTH_MAX, templateOf } from './message-template.ts'

/** With everything folded that may vary. */
const folded = (message: string) => {
  const { texts, values } = templateOf(message)
  return foldedMessage(
    texts,
    values.map(() => undefined),
  )
}

describe('templateOf', () => {
  it.each([
    ['order 4711 not found', 'order * not found'],
    ['timeout after 2000ms', 'timeout after *ms'],
    ['took 1.25 s, limit is 1,000', 'took * s, limit is *'],
    ['balance -20 too low', 'balance * too low'],
    ['range 1-5', 'range *-*'],
    ['connect ECONNREFUSED 10.0.0.12:5432', 'connect ECONNREFUSED *'],
    ['no user-17 in tenant_9', 'no user-* in tenant_*'],
    ['GET /orders/17/items failed', 'GET /orders/*/items failed'],
    ['since 2024-05-01T12:00:00.123Z', 'since *'],
    ['on 2024-05-01, at 12:30', 'on *, at *'],
  ])('folds numbers: %s', (message, template) => expect(folded(message)).toBe(template))

  it.each([
    ['order 0b5f0a52-6a5c-4c1e-9d8e-3c1f6a7d2e11 not found', 'order * not found'],
    ['trace 4bf92f3577b34da6a3ce929d0e0e4736 lost', 'trace * lost'],
    ['object at 0x7ffe1A', 'object at *'],
    ['commit 3f9a2c1 reverted', 'commit * reverted'],
    ['customer cus_9s6XKzkNRiz8i3 declined', 'customer * declined'],
    ['ulid 01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid *'],
    ['key a1b2c3 expired', 'key * expired'],
    ['no mailbox bob+x@mail.example.com here', 'no mailbox * here'],
  ])('folds ids: %s', (message, template) => expect(folded(message)).toBe(template))

  it.each([
    [`column "total price" does not exist`, 'column * does not exist'],
    [`no key 'a b' in 'c'`, 'no key * in *'],
    ['unknown field `x`', 'unknown field *'],
    ['Zeichen „x“ und “y”', 'Zeichen „x“ und *'],
    [`name is ''`, 'name is *'],
  ])('folds quoted values: %s', (message, template) => expect(folded(message)).toBe(template))

  it.each([
    [`can't reach what isn't there`],
    ['broken pipe'],
    ['Grüße, 世界'],
    [''],
    ['deadline exceeded while decoding facade'],
  ])('leaves words alone: %s', (message) => expect(folded(message)).toBe(message))

  it('keeps different words with digits apart', () => {
    expect(folded('s3 is away')).not.toBe(folded('k8s is away'))
    expect(folded('utf8 expected')).not.toBe(folded('base64 expected'))
  })

  it('puts back together what it took apart', () => {
    const message = `order 'a' of bob@x.io took 1.5 s (0b5f0a52-6a5c-4c1e-9d8e-3c1f6a7d2e11)`
    const { texts, values } = templateOf(message)
    expect(foldedMessage(texts, values)).toBe(message)
    expect(values).toHaveLength(4)
  })

  it.each(['a', '1', 'a1', '1a', '"', '"a', "'a b", 'a.', 'a@', '@a.', '-1', '1.', 'a-', '1:a', '_1'])(
    'is not slowed down by very many of %s',
    (part) => {
      const message = part.repeat(100_000)
      expect(foldedMessage(templateOf(message).texts, templateOf(message).values)).toBe(message)
    },
  )
})

describe('cutMessage', () => {
  it('cuts long messages, never through a character', () => {
    expect(cutMessage('x'.repeat(MESSAGE_LENGTH_MAX))).toBe('x'.repeat(MESSAGE_LENGTH_MAX))
    expect(cutMessage('x'.repeat(MESSAGE_LENGTH_MAX + 1))).toBe(`${'x'.repeat(MESSAGE_LENGTH_MAX)}…`)
    expect(cutMessage(`${'x'.repeat(MESSAGE_LENGTH_MAX - 1)}😀`)).toBe(`${'x'.repeat(MESSAGE_LENGTH_MAX - 1)}…`)
  })
})
