import { RE2JS } from 're2js'
import type { TextFinder } from './text-finder.ts'

/** A rough measure of what a pattern costs: `\d{1000}` has a program of thousands of steps. */
const PROGRAM_SIZE_MAX = 2_000

/** Finds a pattern in the syntax of RE2, which knows nothing that takes longer than linear time. Throws where it has none. */
export function createPatternFinder(pattern: string): TextFinder {
  const compiled = RE2JS.compile(pattern)
  return {
    digitsMin: 1,
    replace: (text, mask) =>
      compiled.test(text) ? compiled.matcher(text).replaceAll((found) => (found === '' ? '' : mask(found))) : text,
  }
}

/** What is wrong with a pattern, in words that follow "pattern"; undefined where it can be used. */
export function patternFaultOf(pattern: string): string | undefined {
  try {
    const compiled = RE2JS.compile(pattern)
    if (compiled.programSize() > PROGRAM_SIZE_MAX) return 'is too costly: use smaller numbers of repetitions.'
    return compiled.test('') ? 'must not match an empty text.' : undefined
  } catch (error) {
    return `is no pattern in the syntax of RE2: ${error instanceof Error ? error.message : error}.`
  }
}
