import { describe, expect, it } from 'vitest'
import type { LogPattern } from '../storage/telemetry-store.ts'
import { mergePatterns } from './log-patterns.ts'

function pattern(template: string, recordCount: number, lastNs: bigint, more: Partial<LogPattern> = {}): LogPattern {
  return { serviceName: 'shop', severityLevel: 'Information', template, recordCount, firstNs: 0n, lastNs, ...more }
}

const told = (patterns: LogPattern[]) =>
  mergePatterns(patterns).map(({ serviceName, severityLevel, template, recordCount }) => {
    return `${serviceName} ${severityLevel} ${template}: ${recordCount}`
  })

describe('merging patterns', () => {
  it('takes a name that is another one each time for a variable', () => {
    const [merged, ...others] = mergePatterns([
      pattern('station named Nanjing found', 3, 7n, { firstNs: 2n }),
      pattern('station named Suzhou found', 2, 9n, { firstNs: 1n }),
    ])
    expect(others).toEqual([])
    expect(merged).toMatchObject({ template: 'station named <*> found', recordCount: 5, firstNs: 1n, lastNs: 9n })
    expect(merged?.newest.template).toBe('station named Suzhou found')
  })

  it('keeps services and levels apart', () => {
    const stored = [
      pattern('order stored', 1, 1n),
      pattern('order stored', 2, 1n, { serviceName: 'cart' }),
      pattern('order stored', 3, 1n, { severityLevel: 'Error' }),
    ]
    expect(told(stored)).toEqual([
      'shop Error order stored: 3',
      'cart Information order stored: 2',
      'shop Information order stored: 1',
    ])
  })

  it('lists the most common first, then what was seen last, then by name', () => {
    expect(told([pattern('b', 1, 1n), pattern('c', 1, 2n), pattern('a', 1, 1n), pattern('d', 9, 0n)])).toEqual([
      'shop Information d: 9',
      'shop Information c: 1',
      'shop Information a: 1',
      'shop Information b: 1',
    ])
  })
})
