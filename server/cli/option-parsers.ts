import { InvalidArgumentError } from 'commander'

/** Reads the text of an option, or refuses it as wrong usage. */
export type OptionParser<T> = (text: string) => T

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): OptionParser<number> {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `A whole number from ${min} is needed.`
        : `A whole number from ${min} to ${max} is needed.`,
    )
  }
}

export function positiveNumber(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError('A number above 0 is needed.')
}

export function decimalNumber(text: string): number {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(value)) return value
  throw new InvalidArgumentError('A number is needed.')
}

/** The word stands for "no number of its own". It is returned as it is, because commander takes null for an empty text. */
export function wholeNumberOr<const Word extends string>(word: Word, min: number): OptionParser<number | Word> {
  const parse = wholeNumber(min)
  return (text) => (text === word ? word : parse(text))
}

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `15m`, `2h` or `7d`, in milliseconds. */
export function durationMs(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = Number(amount) * (UNITS_MS[unit] ?? Number.NaN)
  if (ms > 0) return ms
  throw new InvalidArgumentError('A duration such as 90s, 15m, 2h or 7d is needed.')
}

/** Collects `key=value`, one for each time that the option is given. */
export function keyValue(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('key=value is needed.')
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) }
}
