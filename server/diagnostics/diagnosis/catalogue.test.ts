import { expect, it } from 'vitest'
import { CAUSES, wordCause } from './catalogue.ts'

it('has every phrase that the contract asks for', () => {
  expect(Object.values(CAUSES).map(({ phrase }) => phrase)).toEqual(
    expect.arrayContaining([
      'CPU saturation',
      'Memory pressure',
      'Network delay',
      'Exception',
      'Error return',
      'Slow code',
      'Slow dependency',
      'Failing dependency',
      'Unreachable service',
      'Bad deployment',
      'Bad instance',
      'Bad configuration',
      'Traffic surge',
      'Connection pool exhaustion',
      'Thread pool exhaustion',
      'Queue backlog',
      'Rate limiting',
      'Retry storm',
    ]),
  )
})

it('words a cause with its place', () => {
  expect(wordCause('connectionPoolExhaustion', 'payments', 'pay-primary')).toBe(
    'Connection pool exhaustion in payments (pay-primary)',
  )
  expect(wordCause('unreachableService', 'payments', '')).toBe('Unreachable service in payments')
})
