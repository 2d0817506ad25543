import { describe, expect, it } from 'vitest'
import { GroupSums } from './group-sums.ts'

describe('sums by groups', () => {
  it('are those of a plain map, for any number of groups', () => {
    const groups = new GroupSums(2)
    const plain = new Map<string, number>()
    for (let i = 0; i < 20_000; i++) {
      const key = [i % 7, i % 1_000, (i * i) % 13, 2 ** 32 - 1 - (i % 3), 0] as const
      const at = groups.at(...key)
      groups.sums[at + 1] = (groups.sums[at + 1] as number) + i
      plain.set(key.join(' '), (plain.get(key.join(' ')) ?? 0) + i)
    }
    const found = Array.from({ length: groups.size }, (_, group) => {
      const key = [0, 1, 2, 3, 4].map((word) => groups.key(group, word)).join(' ')
      return [key, groups.sum(group, 1)] as const
    })
    expect(new Map(found)).toEqual(plain)
    expect(groups.size).toBe(plain.size)
  })
})
