import { isTime, timeOf, timeText } from './relative-time.ts'

const DATETIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A value of an answer as a scenario would write it: times from its moment, lists between commas. */
export function cellOf(value: unknown, momentMs: number): string {
  if (Array.isArray(value)) return value.map((each) => cellOf(each, momentMs)).join(', ')
  if (typeof value === 'string' && DATETIME.test(value)) return timeText(Date.parse(value) - momentMs)
  if (typeof value === 'string') return value === '' ? '""' : value
  return JSON.stringify(value) ?? 'missing'
}

/**
 * Whether a value is what a cell says: exactly that, `*` anything, `/…/` a pattern, `>5` and the like, `≈5` within 1 %, or
 * `-5m±30s` a time near that one.
 */
export function isAsExpected(value: unknown, cell: string, momentMs: number): boolean {
  const actual = cellOf(value, momentMs)
  if (cell === '*' || actual === cell) return true
  if (cell.startsWith('/') && cell.endsWith('/') && cell.length > 1) return new RegExp(cell.slice(1, -1)).test(actual)
  const [near = '', within = ''] = cell.split('±')
  if (isTime(actual) && isTime(near)) return Math.abs(timeOf(actual) - timeOf(near)) <= (within ? timeOf(within) : 0)
  return typeof value === 'number' && comparesTo(value, cell)
}

function comparesTo(value: number, cell: string): boolean {
  const [, sign, text] = /^(>=|<=|>|<|≈)(-?[\d.]+)$/.exec(cell) ?? []
  const limit = Number(text)
  switch (sign) {
    case '>':
      return value > limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '≈':
      return Math.abs(value - limit) <= Math.abs(limit) / 100
    default:
      return false
  }
}
