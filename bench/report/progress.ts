import { availableParallelism, loadavg } from 'node:os'

/** Says what is going on; on standard error, so that standard output holds the tables alone. */
export function say(text: string): void {
  console.error(`· ${text}`)
}

/** What the figures were measured on; others who use the machine at the same time make them worse. */
export function sayMachine(): void {
  say(`${availableParallelism()} processors, ${process.arch}, load before: ${loadavg()[0]?.toFixed(1)}`)
}
