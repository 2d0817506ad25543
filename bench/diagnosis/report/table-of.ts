/** A table that a report can hold and a terminal can show. The first column is text, the others are figures. */
export interface Table {
  title: string
  /** What to know before quoting a figure of it. */
  note?: string
  head: string[]
  rows: string[][]
}

export function markdownOf({ title, note, head, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = `|${head.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`
  return [`## ${title}`, '', ...(note ? [note, ''] : []), line(head), rule, ...rows.map(line), ''].join('\n')
}
