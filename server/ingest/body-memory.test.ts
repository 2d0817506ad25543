import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BodyMemory, isWorthKeeping } from './body-memory.ts'

const KIB = 1024
const MIB = 1024 * KIB

describe('the memory of bodies', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is used again for a body that is about as large', () => {
    const memory = new BodyMemory()
    const first = memory.take(300 * KIB)
    expect(first.length).toBe(300 * KIB)
    expect(memory.isLent(first.buffer)).toBe(true)
    memory.giveBack(first.buffer)
    const second = memory.take(290 * KIB)
    expect(second.length).toBe(290 * KIB)
    expect(second.buffer).toBe(first.buffer)
    expect(memory.take(290 * KIB).buffer).not.toBe(first.buffer)
  })

  it.each([0, 1, 10 * KIB, 5 * MIB])('is of a body alone where it has %d bytes', (bytes) => {
    const memory = new BodyMemory()
    const { buffer, length } = memory.take(bytes)
    expect(length).toBe(bytes)
    expect(buffer.byteLength).toBe(bytes)
    expect(isWorthKeeping(buffer)).toBe(false)
    memory.giveBack(buffer)
    expect(memory.take(bytes).buffer).not.toBe(buffer)
  })

  it('is kept up to a limit', () => {
    const memory = new BodyMemory()
    const all = Array.from({ length: 100 }, () => memory.take(MIB).buffer)
    for (const buffer of all) memory.giveBack(buffer)
    const again = new Set(Array.from({ length: 100 }, () => memory.take(MIB).buffer))
    expect(all.filter((buffer) => again.has(buffer)).length).toBe(32)
  })

  it('makes room for bodies of another size', () => {
    const memory = new BodyMemory()
    for (const { buffer } of Array.from({ length: 32 }, () => memory.take(MIB))) memory.giveBack(buffer)
    const { buffer } = memory.take(2 * MIB)
    memory.giveBack(buffer)
    expect(memory.take(2 * MIB).buffer).toBe(buffer)
  })

  it('is not kept where nobody needs it', () => {
    const memory = new BodyMemory()
    const { buffer } = memory.take(MIB)
    memory.giveBack(buffer)
    vi.advanceTimersByTime(60_000)
    expect(memory.take(MIB).buffer).not.toBe(buffer)
  })
})
