import { describe, expect, it } from 'vitest'
import { findCards } from './find-cards.ts'
import { findEmails } from './find-emails.ts'
import { createPatternFinder, patternFaultOf } from './find-pattern.ts'
import { findSecrets, isSecretKey } from './find-secrets.ts'
import { keyPattern } from './key-pattern.ts'
import { createMask } from './mask.ts'

const mask = () => '#'

describe('mail addresses', () => {
  it.each([
    ['ann@example.com', '#'],
    ['to: <ann.b+c@mail.example.co.uk>, bob@x.io.', 'to: <#>, #.'],
    ['/reset?mail=ann%40example.com&x=1', '/reset?mail=#&x=1'],
    ['jürgen@bücher.example', '#'],
    ['ann@example.com@example.com', '#@example.com'],
  ])('are found in %j', (text, expected) => expect(findEmails.replace(text, mask)).toBe(expected))

  it.each(['@', 'a@b', 'a@b.1', 'user@10.0.0.1', '@example.com', 'left @ right.com', 'v1@', ''])(
    'are not seen in %j',
    (text) => expect(findEmails.replace(text, mask)).toBe(text),
  )
})

describe('card numbers', () => {
  it.each([
    ['4111111111111111', '#'],
    ['card 4111 1111 1111 1111 declined', 'card # declined'],
    ['5500-0000-0000-0004', '#'],
    ['3400 000000 00009', '#'],
    ['{"pan":"6011000000000004"}', '{"pan":"#"}'],
  ])('are found in %j', (text, expected) => expect(findCards.replace(text, mask)).toBe(expected))

  it.each([
    ['a wrong check digit', '4111111111111112'],
    ['a time in nanoseconds', '1700000000000000003'],
    ['part of a longer number', '41111111111111111111111'],
    ['part of hex digits', 'a4111111111111111'],
    ['the digits of a fraction', '0.4111111111111111'],
    ['a date and time', '2023-11-16 09-15-30 1234'],
  ])('are not seen in %s', (_, text) => expect(findCards.replace(text, mask)).toBe(text))

  it('are hashed alike however they are written', () => {
    const hash = createMask('hash', 'secret')
    expect(findCards.replace('4111 1111 1111 1111', hash)).toBe(findCards.replace('4111111111111111', hash))
  })
})

describe('secrets', () => {
  it.each([
    ['password=hunter2&next=1', 'password=#&next=1'],
    ['{"api_key": "abc123", "n": 1}', '{"api_key": "#", "n": 1}'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer #'],
    ['sent Bearer abcdefghijk to it', 'sent Bearer # to it'],
    ['postgres://ann:s3cret@db/shop', 'postgres://ann:#@db/shop'],
    [`token ghp_${'a'.repeat(36)} leaked`, 'token # leaked'],
    ['AKIAIOSFODNN7EXAMPLE', '#'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_1', '#'],
    [`-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`, '#'],
  ])('are found in %j', (text, expected) => expect(findSecrets.replace(text, mask)).toBe(expected))

  it.each(['the password was wrong', 'tokens=5', 'GET /tokens/12', 'http://host:80/path', 'a basic example'])(
    'are not seen in %j',
    (text) => expect(findSecrets.replace(text, mask)).toBe(text),
  )

  it('are whatever keys say that they are', () => {
    const told = ['http.request.header.authorization', 'db.password', 'Set-Cookie', 'x-api-key', 'token']
    expect(told.filter(isSecretKey)).toEqual(told)
    expect(['gen_ai.usage.input_tokens', 'http.route', 'user.id'].filter(isSecretKey)).toEqual([])
  })
})

describe('patterns', () => {
  it('replace what they match, every time', () => {
    expect(createPatternFinder('cust-[0-9]+').replace('cust-1, cust-22 of custom', mask)).toBe('#, # of custom')
  })

  it('are refused where they are none, match nothing, or cost too much', () => {
    expect(patternFaultOf('(a')).toMatch(/^is no pattern in the syntax of RE2: /)
    expect(patternFaultOf('(a)\\1')).toMatch(/^is no pattern in the syntax of RE2: /)
    expect(patternFaultOf('a*')).toBe('must not match an empty text.')
    expect(patternFaultOf('[a-z]{900}([0-9]{1,900}|x{1,900})')).toMatch(/too costly/)
    expect(patternFaultOf('\\b\\d{3}-\\d{2}-\\d{4}\\b')).toBeUndefined()
  })

  it('come to an end where others would take for ever', () => {
    for (const pattern of ['(a+)+b', '(a|aa)+$x', '(.*)(.*)(.*)(.*)y'])
      expect(createPatternFinder(pattern).replace('a'.repeat(20_000), mask)).toHaveLength(20_000)
    for (const finder of [findCards, findEmails, findSecrets])
      for (const text of ['a', '4', '4 ', 'a@', '%40', 'eyJ', 'password', '://a:', '-----BEGIN PRIVATE KEY-----'])
        expect(finder.replace(text.repeat(10_000), mask)).not.toBe('')
  })
})

describe('keys', () => {
  it.each([
    ['user.email', 'User.Email', true],
    ['user.email', 'user.email.hash', false],
    ['user.*', 'user.id', true],
    ['user.*', 'user', false],
    ['*.header.*.value', 'http.header.x.value', true],
    ['*.header.*.value', 'http.header.value', false],
    ['a*a', 'a', false],
    ['*email*', 'customer_email', true],
    ['a.c', 'abc', false],
  ])('%s means %s: %s', (pattern, key, expected) => expect(keyPattern(pattern)(key)).toBe(expected))
})

it('hashes are the same for equal texts, and others with another secret', () => {
  const hash = createMask('hash', 'one')
  expect(hash('ann')).toMatch(/^hash:[0-9a-f]{24}$/)
  expect([hash('ann'), hash('bob') === hash('ann')]).toEqual([hash('ann'), false])
  expect(createMask('hash', 'two')('ann')).not.toBe(hash('ann'))
})
