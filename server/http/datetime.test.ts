import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDatetime, storableWindow } from './datetime.ts'

const ns = (iso: string, restNs = 0n) => BigInt(Date.parse(iso)) * 1_000_000n + restNs

describe('parseDatetime', () => {
  it.each([
    ['2024-05-01T12:30:45Z', ns('2024-05-01T12:30:45Z')],
    ['2024-05-01T12:30:45', ns('2024-05-01T12:30:45Z')],
    ['2024-05-01T12:30', ns('2024-05-01T12:30:00Z')],
    ['2024-05-01T12:30Z', ns('2024-05-01T12:30:00Z')],
    ['2024-05-01T12:30:45+02:00', ns('2024-05-01T10:30:45Z')],
    ['2024-05-01T12:30:45-0530', ns('2024-05-01T18:00:45Z')],
    ['2024-05-01T12:30:45+02', ns('2024-05-01T10:30:45Z')],
    ['2024-05-01T12:30:45-00:00', ns('2024-05-01T12:30:45Z')],
    ['2024-05-01T00:30:00+01:00', ns('2024-04-30T23:30:00Z')],
    ['2024-05-01T12:30:45.5Z', ns('2024-05-01T12:30:45.500Z')],
    ['2024-05-01T12:30:45,25Z', ns('2024-05-01T12:30:45.250Z')],
    ['2024-05-01T12:30:45.1234567Z', ns('2024-05-01T12:30:45.123Z', 456_700n)],
    ['2024-05-01T12:30:45.123456789', ns('2024-05-01T12:30:45.123Z', 456_789n)],
    ['2024-02-29T00:00:00Z', ns('2024-02-29T00:00:00Z')],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['0001-01-01T00:00:00Z', ns('0001-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59Z', ns('9999-12-31T23:59:59Z')],
  ])('reads %s', (text, expected) => expect(parseDatetime(text)).toBe(expected))

  it('reads a plus that a query turned into a space', () => {
    expect(parseDatetime('2024-05-01T12:30:45 02:00')).toBe(ns('2024-05-01T10:30:45Z'))
  })

  it('reads a leap second as the first second of the next day', () => {
    expect(parseDatetime('2016-12-31T23:59:60Z')).toBe(ns('2017-01-01T00:00:00Z'))
    expect(parseDatetime('2017-01-01T00:59:60.5+01:00')).toBe(ns('2017-01-01T00:00:00.500Z'))
  })

  it.each([
    '',
    'yesterday',
    '1714566645',
    '2024-05-01',
    '2024-05-01T',
    '2024-05-01T12',
    '2024-05-01 12:30:45',
    '2024-05-01T12:30:45z',
    '20240501T123045Z',
    '2024-W18-3T12:30:45Z',
    '2024-5-1T12:30:45Z',
    '24-05-01T12:30:45Z',
    '+12024-05-01T12:30:45Z',
    '2024-00-01T12:30:45Z',
    '2024-13-01T12:30:45Z',
    '2024-05-00T12:30:45Z',
    '2024-02-30T12:30:45Z',
    '2023-02-29T12:30:45Z',
    '2024-04-31T12:30:45Z',
    '2024-05-01T24:00:00Z',
    '2024-05-01T12:60:00Z',
    '2024-05-01T12:30:61Z',
    '2024-05-01T12:30:60Z',
    '2024-05-01T12:30.5Z',
    '2024-05-01T12:30:45.Z',
    '2024-05-01T12:30:45.1234567890Z',
    '2024-05-01T12:30:45+24:00',
    '2024-05-01T12:30:45+02:60',
    '2024-05-01T12:30:45+2',
    '2024-05-01T12:30:45Z+02:00',
    '2024-05-01T12:30:45Z ',
    ' 2024-05-01T12:30:45Z',
    '2024-05-01T12:30:45Z\n',
    '２０２４-05-01T12:30:45Z',
  ])('refuses %j', (text) => expect(parseDatetime(text)).toBeUndefined())

  it('reads whatever the language itself writes', () => {
    const dates = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(dates, (date) => parseDatetime(date.toISOString()) === BigInt(date.getTime()) * 1_000_000n),
      { seed: 1 },
    )
  })
})

describe('storableWindow', () => {
  it('leaves a window that fits into 64 bits as it is', () => {
    const window = { startNs: 1n, endNs: 2n }
    expect(storableWindow(window)).toEqual(window)
  })

  it('cuts what lies before the epoch and beyond 64 bits', () => {
    const window = { startNs: ns('0001-01-01T00:00:00Z'), endNs: ns('9999-12-31T23:59:59Z') }
    expect(storableWindow(window)).toEqual({ startNs: 0n, endNs: 2n ** 63n - 1n })
  })
})
