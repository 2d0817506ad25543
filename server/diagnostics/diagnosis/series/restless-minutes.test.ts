import { expect, it } from 'vitest'
import { restlessMinutes } from './restless-minutes.ts'

function series(badFrom: number, badTo: number, bad: { errors?: number; ms?: number }) {
  const isBad = (minute: number) => minute >= badFrom && minute < badTo
  const minutes = Array.from({ length: 200 }, (_, minute) => minute)
  return {
    requests: minutes.map(() => 50),
    errors: minutes.map((minute) => (isBad(minute) ? (bad.errors ?? 0) : 0)),
    durationMs: minutes.map((minute) => 50 * (isBad(minute) ? (bad.ms ?? 20) : 20)),
  }
}

it('finds minutes that fail or are slow, two in a row', () => {
  expect(restlessMinutes(series(90, 93, { errors: 10 }))).toEqual([90, 91, 92])
  expect(restlessMinutes(series(90, 93, { ms: 50 }))).toEqual([90, 91, 92])
})

it('passes over single minutes and small changes', () => {
  expect(restlessMinutes(series(90, 91, { errors: 10 }))).toEqual([])
  expect(restlessMinutes(series(90, 95, { errors: 1, ms: 24 }))).toEqual([])
})
