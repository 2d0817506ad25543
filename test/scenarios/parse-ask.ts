import type { Ask, Expectation, Line } from './scenario.ts'
import { unquoted, wordsOf } from './words.ts'

/** `ask /service "a name" at=-5m window=30`, and under it what the answer must be. */
export function parseAsk(line: Line, [path = '', ...words]: string[], body: Line[], awaits: boolean): Ask {
  const names = words.filter((word) => word.startsWith('"')).map((word) => encodeURIComponent(unquoted(word)))
  const query = words
    .filter((word) => !word.startsWith('"'))
    .map((word): [string, string] => {
      const [key = '', ...value] = word.split('=')
      return [key, unquoted(value.join('='))]
    })
  const expectations = parseExpectations(body)
  if (expectations.length === 0) throw new Error('nothing is expected of the answer')
  return { kind: 'ask', line, path: [path, ...names].join('/'), query, awaits, expectations }
}

function parseExpectations(lines: Line[]): Expectation[] {
  const outer = Math.min(...lines.map(({ indent }) => indent))
  const expectations: Expectation[] = []
  for (const [index, line] of lines.entries()) {
    if (line.indent > outer) continue
    const end = lines.findIndex((other, at) => at > index && other.indent === outer)
    expectations.push(parseExpectation(line, lines.slice(index + 1, end === -1 ? undefined : end)))
  }
  return expectations
}

/** `refused 400 a-kind "what it says"`, `a.path = value`, or a path with the rows of a table below it. */
function parseExpectation(line: Line, rows: Line[]): Expectation {
  const [first = '', second = '', ...rest] = wordsOf(line.text)
  if (first === 'refused')
    return { kind: 'refusal', line, status: Number(second), problem: rest[0] ?? '', detail: unquoted(rest[1] ?? '') }
  if (second === '=')
    return { kind: 'value', line, path: first, value: line.text.slice(line.text.indexOf('=') + 1).trim() }
  if (second === 'none')
    return { kind: 'table', line, path: first, columns: [], rows: [], open: false, unordered: false }
  return parseTable(line, first, rows, second === 'unordered')
}

function parseTable(line: Line, path: string, [head, ...rows]: Line[], unordered: boolean): Expectation {
  if (!head || rows.length === 0) throw new Error(`line ${line.number}: ${path} needs "= value", "none" or a table`)
  const columns = cellsOf(head)
  const open = rows.at(-1)?.text === '…'
  const cells = (open ? rows.slice(0, -1) : rows).map((row) => {
    const found = cellsOf(row)
    if (found.length !== columns.length) throw new Error(`line ${row.number}: ${columns.length} cells are needed`)
    return found
  })
  return { kind: 'table', line, path, columns, rows: cells, open, unordered }
}

function cellsOf({ text }: Line): string[] {
  return text.split('|').map((cell) => cell.trim())
}
