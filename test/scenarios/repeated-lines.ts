import type { Line, Load } from './scenario.ts'

/** One time that the lines of a load happen. */
export interface Repetition {
  /** From the scenario's moment, in milliseconds. */
  atMs: number
  lines: Line[]
  /** From 0, and how many there are. */
  number: number
  count: number
}

/** In a line `{n}` becomes the number of the repetition, and `{a|b|c}` one after the other, from the first on again. */
export function repetitionsOf({ schedule: { fromMs, toMs, everyMs }, lines }: Load): Repetition[] {
  const count = Math.ceil((toMs - fromMs) / everyMs)
  return Array.from({ length: count }, (_, number) => ({
    atMs: fromMs + number * everyMs,
    lines: lines.map((line) => ({ ...line, text: substituted(line.text, number) })),
    number,
    count,
  }))
}

function substituted(text: string, number: number): string {
  return text.replace(/\{n\}/g, String(number)).replace(/\{([^{}]*\|[^{}]*)\}/g, (_, choices: string) => {
    const each = choices.split('|')
    return each[number % each.length] ?? ''
  })
}
