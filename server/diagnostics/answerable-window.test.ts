import { describe, expect, it } from 'vitest'
import { windowOfMs } from '../domain/time-window.ts'
import { answerableWindow, oldestRawNs } from './answerable-window.ts'

const at = (time: string) => Date.parse(`2024-05-01T${time}Z`)
const ns = (time: string) => BigInt(at(time)) * 1_000_000n
const window = (start: string, end: string) => windowOfMs(at(start), at(end))

describe('answerableWindow', () => {
  it('leaves a window alone while its spans are kept', () => {
    const asked = window('12:00:00.001', '12:30:59.999')
    expect(answerableWindow(asked, ns('12:00:00.001'))).toEqual(asked)
  })

  it('widens a window of which no span is kept to whole minutes', () => {
    expect(answerableWindow(window('12:00:00.001', '12:30:00.001'), ns('13:00:00'))).toEqual(
      window('12:00:00', '12:31:00'),
    )
  })

  it('leaves whole minutes as they are', () => {
    const asked = window('12:00:00', '12:31:00')
    expect(answerableWindow(asked, ns('13:00:00'))).toEqual(asked)
  })

  it('leaves the end exact that lies where spans are kept', () => {
    expect(answerableWindow(window('12:00:30', '12:30:30'), ns('12:15:00'))).toEqual(window('12:00:00', '12:30:30'))
  })
})

describe('oldestRawNs', () => {
  it('is as many days ago as spans are kept, also parts of days', () => {
    expect(oldestRawNs(ns('12:00:00'), { rawRetentionDays: 7, recordsFromMs: 0 })).toBe(
      ns('12:00:00') - 7n * 86_400_000_000_000n,
    )
    expect(oldestRawNs(ns('12:00:00'), { rawRetentionDays: 0.5, recordsFromMs: 0 })).toBe(ns('00:00:00'))
  })

  it('is later where records had to make room', () => {
    const kept = { rawRetentionDays: 0.5, recordsFromMs: Number(ns('10:00:00') / 1_000_000n) }
    expect(oldestRawNs(ns('12:00:00'), kept)).toBe(ns('10:00:00'))
    expect(oldestRawNs(ns('23:00:00'), kept)).toBe(ns('11:00:00'))
  })
})
