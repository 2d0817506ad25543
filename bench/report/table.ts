/** One measured value, beside what it should be. */
export interface Figure {
  name: string
  value: string
  target?: string
  met?: boolean
}

/** A value that must not be exceeded. */
export function atMost(name: string, value: number, limit: number, unit: string): Figure {
  return { name, value: `${number(value)} ${unit}`, target: `≤ ${number(limit)} ${unit}`, met: value <= limit }
}

export function atLeast(name: string, value: number, limit: number, unit: string): Figure {
  return { name, value: `${number(value)} ${unit}`, target: `≥ ${number(limit)} ${unit}`, met: value >= limit }
}

export function figure(name: string, value: number, unit: string): Figure {
  return { name, value: `${number(value)} ${unit}` }
}

/** Three significant digits, and whole numbers with separators. */
export function number(value: number): string {
  if (Number.isNaN(value)) return 'none'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}

export function printFigures(title: string, figures: Figure[]): void {
  const rows = figures.map(({ name, value, target = '', met }) => [
    name,
    value,
    target,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ])
  printTable(title, ['', 'measured', 'target', ''], rows)
}

/** The first column is text and the others are aligned as numbers. */
export function printTable(title: string, head: string[], rows: string[][]): void {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('   ')
      .trimEnd()
  console.log(
    ['', title, line(head), widths.map((width) => '─'.repeat(width)).join('   '), ...rows.map(line)].join('\n'),
  )
}
