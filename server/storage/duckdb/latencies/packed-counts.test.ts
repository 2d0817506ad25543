import { describe, expect, it } from 'vitest'
import { CountPacker, eachCount } from './packed-counts.ts'

type Counts = [bucket: number, count: number][]

function unpacked(bytes: Uint8Array): Counts {
  const counts: Counts = []
  eachCount(bytes, (bucket, count) => counts.push([bucket, count]))
  return counts
}

describe('packed counts', () => {
  const examples: { counts: Counts }[] = [
    { counts: [] },
    { counts: [[0, 1]] },
    {
      counts: [
        [0, -1],
        [1, 1],
        [64, 31],
        [65, 32],
        [1200, -33],
        [4095, 64],
      ],
    },
    {
      counts: [
        [2239, 2 ** 51 + 1],
        [2240, -(2 ** 51) - 1],
      ],
    },
    { counts: Array.from({ length: 2000 }, (_, i) => [i * 2, (i - 1000) ** 3 || 7]) },
  ]

  it.each(examples)('are what was packed: $counts.length', ({ counts }) => {
    const packer = new CountPacker()
    for (const [bucket, count] of counts) packer.add(bucket, count)
    const bytes = packer.take().slice()
    expect(unpacked(bytes)).toEqual(counts)
    expect(bytes.every((byte) => byte < 128)).toBe(true)
    packer.add(5, 5)
    expect(unpacked(packer.take())).toEqual([[5, 5]])
  })

  it('take two bytes for a few requests in a bucket near the one before', () => {
    const packer = new CountPacker()
    for (let bucket = 0; bucket < 100; bucket++) packer.add(bucket, 31)
    expect(packer.take().length).toBe(200)
  })
})
