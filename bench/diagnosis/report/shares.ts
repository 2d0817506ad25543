import { wilsonInterval } from '../score/wilson.ts'

/** How many of how many. */
export interface Share {
  count: number
  n: number
}

export function shareOf<T>(items: T[], isCounted: (item: T) => boolean): Share {
  return { count: items.filter(isCounted).length, n: items.length }
}

/** `85.7 % (37–93)`: with its 95 % interval; how many cases there are is told elsewhere. */
export function shareText({ count, n }: Share): string {
  if (n === 0) return '–'
  const { low, high } = wilsonInterval(count, n)
  return `${percent(count / n)} % (${Math.round(low * 100)}–${Math.round(high * 100)})`
}

export function percent(share: number): string {
  return (share * 100).toFixed(1).replace(/\.0$/, '')
}
