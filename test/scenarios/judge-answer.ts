import { cellOf, isAsExpected } from './cell.ts'
import type { Expectation } from './scenario.ts'

export interface GivenAnswer {
  status: number
  body: unknown
}

/** What is wrong with an answer, to be read by a person; nothing where it is as expected. */
export function judgeAnswer(expectations: Expectation[], answer: GivenAnswer, momentMs: number): string[] {
  const refusal = expectations.find(({ kind }) => kind === 'refusal')
  if (!refusal && answer.status !== 200) return [`answered with ${answer.status}: ${JSON.stringify(answer.body)}`]
  return expectations.flatMap((each) =>
    judge(each, answer, momentMs).map((text) => `line ${each.line.number}: ${text}`),
  )
}

function judge(expectation: Expectation, { status, body }: GivenAnswer, momentMs: number): string[] {
  switch (expectation.kind) {
    case 'refusal':
      return judgeRefusal(expectation, status, body)
    case 'value': {
      const value = valueAt(body, expectation.path)
      if (isAsExpected(value, expectation.value, momentMs)) return []
      return [`${expectation.path} is ${cellOf(value, momentMs)} instead of ${expectation.value}`]
    }
    default:
      return judgeTable(expectation, valueAt(body, expectation.path), momentMs)
  }
}

function judgeRefusal(expected: Extract<Expectation, { kind: 'refusal' }>, status: number, body: unknown): string[] {
  const type = `urn:faultline:problem:${expected.problem}`
  const detail = String(valueAt(body, 'detail'))
  if (status === expected.status && valueAt(body, 'type') === type && detail.includes(expected.detail)) return []
  return [`answered with ${status} ${JSON.stringify(body)} instead of ${expected.status} ${type} "${expected.detail}"`]
}

function judgeTable(expected: Extract<Expectation, { kind: 'table' }>, given: unknown, momentMs: number): string[] {
  if (!Array.isArray(given)) return [`${expected.path} is no list but ${cellOf(given, momentMs)}`]
  const isRow = (row: string[], element: unknown) =>
    row.every((cell, i) => isAsExpected(valueAt(element, expected.columns[i] ?? ''), cell, momentMs))
  const value = expected.unordered ? inOrderOf(expected.rows, given, isRow) : given
  const isLong = expected.open ? value.length >= expected.rows.length : value.length === expected.rows.length
  if (isLong && expected.rows.every((row, i) => isRow(row, value[i]))) return []
  const columns = expected.columns.length > 0 ? expected.columns : Object.keys((value[0] as object | undefined) ?? {})
  const actual = value.map((element) => columns.map((column) => cellOf(valueAt(element, column), momentMs)))
  const marks = actual.map((_, i) =>
    isRow(expected.rows[i] ?? [''], value[i]) && i < expected.rows.length ? ' ' : '≠',
  )
  return [
    `${expected.path} should be\n${tableText(columns, expected.rows, [])}\n  but is\n${tableText(columns, actual, marks)}`,
  ]
}

/** Each element where the first row stands that it fits; the others after them. */
function inOrderOf(rows: string[][], given: unknown[], isRow: (row: string[], element: unknown) => boolean): unknown[] {
  const left = [...given]
  const fitting = rows.flatMap((row) => {
    const at = left.findIndex((element) => isRow(row, element))
    return at === -1 ? [] : left.splice(at, 1)
  })
  return [...fitting, ...left]
}

function tableText(columns: string[], rows: string[][], marks: string[]): string {
  if (rows.length === 0) return '    (none)'
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => (row[i] ?? '').length)))
  const lineOf = (cells: string[], mark: string) =>
    `  ${mark} ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')}`.trimEnd()
  return [lineOf(columns, ' '), ...rows.map((row, i) => lineOf(row, marks[i] ?? ' '))].join('\n')
}

/** By a path such as `latency.current.p95` or `diagnoses.0.cause`. */
function valueAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value: unknown, key) => (value as Record<string, unknown> | null | undefined)?.[key], body)
}
