import { printable } from './printable.ts'

export interface Column<Row> {
  title: string
  value: (row: Row) => string | number | boolean | null
  /** Numbers stand under each other by their last digit. */
  align?: 'right'
}

/** Columns as wide as they need to be, without blanks at the ends of lines. What is null shows as a dash. */
export function formatTable<Row>(columns: Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map(({ value }) => cellOf(value(row))))
  const lines = [columns.map(({ title }) => title), ...cells]
  const widths = columns.map((_, i) => lines.reduce((width, line) => Math.max(width, widthOf(line[i] ?? '')), 0))
  return lines
    .map((line) =>
      line
        .map((cell, i) => padded(cell, widths[i] ?? 0, columns[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names and values under each other. */
export function formatFields(fields: readonly (readonly [string, string | number | boolean | null])[]): string {
  const width = fields.reduce((widest, [name]) => Math.max(widest, widthOf(printable(name))), 0)
  return fields.map(([name, value]) => `${padded(printable(name), width)}  ${cellOf(value)}`.trimEnd()).join('\n')
}

function cellOf(value: string | number | boolean | null): string {
  if (value === null) return '-'
  return typeof value === 'string' ? printable(value) : String(value)
}

function padded(cell: string, width: number, column?: { align?: 'right' }): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cell)))
  return column?.align === 'right' ? blanks + cell : cell + blanks
}

function widthOf(text: string): number {
  return [...text].length
}
