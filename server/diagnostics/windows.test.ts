import { expect, it } from 'vitest'
import { windowOfMs } from '../domain/time-window.ts'
import { windowsAt } from './windows.ts'

const at = (time: string) => Date.parse(`2024-05-01T${time}Z`)
const ns = (time: string) => BigInt(at(time)) * 1_000_000n

it('takes the 15 minutes before a moment, and the hour before those', () => {
  expect(windowsAt(ns('12:00:00'))).toEqual({
    current: windowOfMs(at('11:45:00'), at('12:00:00')),
    baseline: windowOfMs(at('10:45:00'), at('11:45:00')),
  })
})

it('keeps the baseline an hour long, however long the window is', () => {
  expect(windowsAt(ns('12:00:00'), 120)).toEqual({
    current: windowOfMs(at('10:00:00'), at('12:00:00')),
    baseline: windowOfMs(at('09:00:00'), at('10:00:00')),
  })
})
