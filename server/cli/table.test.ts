import { describe, expect, it } from 'vitest'
import { type Column, formatFields, formatTable } from './table.ts'

interface Row {
  name: string
  count: number | null
}

const COLUMNS: Column<Row>[] = [
  { title: 'NAME', value: (row) => row.name },
  { title: 'COUNT', value: (row) => row.count, align: 'right' },
]

describe('a table', () => {
  it('has columns as wide as they need to be', () => {
    const rows = [
      { name: 'checkout', count: 7 },
      { name: 'a', count: 1_234_567 },
      { name: 'b', count: null },
    ]
    expect(formatTable(COLUMNS, rows)).toBe(
      'NAME        COUNT\ncheckout        7\na         1234567\nb               -',
    )
  })

  it('is its titles alone where there is nothing to show', () => {
    expect(formatTable(COLUMNS, [])).toBe('NAME  COUNT')
  })

  it('lets no text from elsewhere steer the terminal or break a line', () => {
    const rows = [{ name: 'a\u001b[2Jb\nc\u009b31m\u202edcba', count: 1 }]
    const [, line] = formatTable(COLUMNS, rows).split('\n')
    expect(line).toBe('a\\u{1b}[2Jb\\nc\\u{9b}31m\\u{202e}dcba      1')
  })
})

describe('fields', () => {
  it('have their values under each other', () => {
    expect(
      formatFields([
        ['Span', 'ab'],
        ['Parent', null],
        ['Sampled', true],
      ]),
    ).toBe('Span     ab\nParent   -\nSampled  true')
  })
})
