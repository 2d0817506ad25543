const UNITS_MS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001 }
const PART = /(\d+(?:\.\d+)?)(d|h|ms|us|m|s)/g
const TIME = /^[+-]?(?:0|(?:\d+(?:\.\d+)?(?:d|h|ms|us|m|s))+)$/

/** Such as `90s`, `1h30m`, `0`; with a sign before or after the scenario's moment. */
export function isTime(text: string): boolean {
  return TIME.test(text)
}

/** In milliseconds, which may be a fraction. */
export function timeOf(text: string): number {
  if (!isTime(text)) throw new Error(`${JSON.stringify(text)} is no time such as 90s, -1h30m or 0`)
  const ms = [...text.matchAll(PART)].reduce(
    (sum, [, count, unit = 'ms']) => sum + Number(count) * Number(UNITS_MS[unit]),
    0,
  )
  return text.startsWith('-') ? -ms : ms
}

/** The other way round, as short as it can be. */
export function timeText(ms: number): string {
  if (ms === 0) return '0'
  let rest = Math.abs(ms)
  const parts = (['d', 'h', 'm'] as const).map((unit) => {
    const count = Math.floor(rest / Number(UNITS_MS[unit]))
    rest -= count * Number(UNITS_MS[unit])
    return count === 0 ? '' : `${count}${unit}`
  })
  const seconds = rest === 0 ? '' : `${Number((rest / 1000).toFixed(6))}s`
  return `${ms < 0 ? '-' : '+'}${parts.join('')}${seconds}`
}
