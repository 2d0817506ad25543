import { expect, it } from 'vitest'
import { type Sighting, sightingsOf } from './sightings.ts'
import { requestsIn, seriesOf, timeMs } from './testing/minute-fixture.ts'

/** Looks in turn, each with the last minute that had a request by then, and whether the service is live. */
function liveAt(...looks: [minute: number, last: number][]): boolean[] {
  let sightings: ReadonlyMap<string, Sighting> = new Map()
  return looks.map(([minute, last]) => {
    sightings = sightingsOf(new Map([['shop', seriesOf(requestsIn(last, last))]]), sightings, timeMs(minute))
    return sightings.get('shop')?.live ?? false
  })
}

it('is live as long as it is heard of, and when it falls silent', () => {
  expect(liveAt([0, 0], [1, 1], [20, 1], [60, 1])).toEqual([true, true, true, true])
})

it('is not live while its past is brought in, until that has come to the present', () => {
  expect(liveAt([0, -70], [0, -30], [0, -8], [1, 0])).toEqual([false, false, false, true])
})

it('is not live where its past ended long ago', () => {
  expect(liveAt([0, -20], [1, -20], [30, -20])).toEqual([false, false, false])
})

it('is live where it was a little late and nothing more came', () => {
  expect(liveAt([0, -7], [0, -7], [30, -7])).toEqual([false, true, true])
  expect(liveAt([0, -5])).toEqual([true])
})

it('is not live again by an older past', () => {
  expect(liveAt([0, 0], [30, 0], [30, 12], [31, 12])).toEqual([true, true, false, false])
})
