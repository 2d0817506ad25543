import { describe, expect, it } from 'vitest'
import { durationMs, keyValue, positiveNumber, wholeNumber, wholeNumberOr } from './option-parsers.ts'

describe('options', () => {
  it('take whole numbers within their bounds', () => {
    expect(wholeNumber(1, 100)('100')).toBe(100)
    for (const text of ['0', '101', '1.5', '-1', '1e2', '', ' 1', 'x'])
      expect(() => wholeNumber(1, 100)(text)).toThrow()
  })

  it('take a word instead of a number', () => {
    expect(wholeNumberOr('default', 1)('default')).toBe('default')
    expect(wholeNumberOr('default', 1)('5')).toBe(5)
    expect(() => wholeNumberOr('default', 1)('none')).toThrow()
  })

  it('take numbers above 0', () => {
    expect(positiveNumber('0.5')).toBe(0.5)
    for (const text of ['0', '-1', 'NaN', 'Infinity', '']) expect(() => positiveNumber(text)).toThrow()
  })

  it('take durations', () => {
    expect(['90s', '15m', '2h', '7d'].map(durationMs)).toEqual([90_000, 900_000, 7_200_000, 604_800_000])
    for (const text of ['15', 'm', '0m', '1w', '-1m', '1.5h']) expect(() => durationMs(text)).toThrow()
  })

  it('collect keys with values, which may contain the sign between them', () => {
    expect(keyValue('b=2=3', keyValue('a='))).toEqual({ a: '', b: '2=3' })
    for (const text of ['a', '=a', '']) expect(() => keyValue(text)).toThrow()
  })
})
