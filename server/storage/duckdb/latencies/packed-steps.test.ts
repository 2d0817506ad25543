import { expect, it } from 'vitest'
import { eachPackedStep, packedSteps } from './packed-steps.ts'

it.each([[[]], [[0]], [[11]], [[0, 1, 7]]])('packed steps %j are what was packed, whatever their length', (steps) => {
  const lengths = [1, 63, 64, 65, 4096, 5000]
  for (const length of lengths) {
    const packed = packedSteps(steps.map((step) => ({ step, counts: new Uint8Array(length + step).fill(127) })))
    const found: [number, number][] = []
    eachPackedStep(packed, (step, counts) => {
      expect(counts.every((byte) => byte === 127)).toBe(true)
      found.push([step, counts.length])
    })
    expect(found).toEqual(steps.map((step) => [step, length + step]))
    expect(packed.every((byte) => byte < 128)).toBe(true)
  }
})
