import { expect, it } from 'vitest'
import { createFailedLogins } from './failed-logins.ts'

it('allows 30 failures a minute for each address', () => {
  let nowMs = 0
  const logins = createFailedLogins(() => nowMs)
  for (let i = 0; i < 30; i++) {
    expect(logins.allow('10.0.0.1')).toBe(true)
    logins.record('10.0.0.1')
  }
  expect(logins.allow('10.0.0.1')).toBe(false)
  expect(logins.allow('10.0.0.2')).toBe(true)
  nowMs = 60_000
  expect(logins.allow('10.0.0.1')).toBe(true)
})

it('forgets the oldest address rather than remember any number of them', () => {
  const logins = createFailedLogins(() => 0)
  for (let i = 0; i < 30; i++) logins.record('first')
  for (let i = 0; i < 9_999; i++) logins.record(`address ${i}`)
  expect(logins.allow('first')).toBe(false)
  logins.record('one too many')
  expect(logins.allow('first')).toBe(true)
})
