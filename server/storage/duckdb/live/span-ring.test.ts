import { describe, expect, it } from 'vitest'
import { type Place, SpanRing } from './span-ring.ts'

function added(ring: SpanRing, service: number): Place {
  const place = ring.reserve()
  place.segment.service[place.row] = service
  place.segment.role[place.row] = 1
  ring.advance()
  return place
}

describe('the ring of spans', () => {
  it('lets go of the oldest, and has nothing of them where later ones come', () => {
    const ring = new SpanRing()
    for (let i = 1; i <= 10_000; i++) added(ring, i)
    const left: number[] = []
    while (ring.dropBefore(ring.end, (_, segment, row) => left.push(segment.service[row] as number)));
    expect(left).toEqual(Array.from({ length: ring.begin }, (_, i) => i + 1))
    expect(ring.end - ring.begin).toBeLessThan(5_000)
    for (let i = 0; i < 20_000; i++) {
      const { segment, row } = ring.reserve()
      expect([segment.service[row], segment.role[row]]).toEqual([0, 0])
      added(ring, 7)
    }
    const { segment, row, id } = added(ring, 8)
    expect(ring.segmentOf(id)).toBe(segment)
    expect(segment.service[row]).toBe(8)
  })
})
