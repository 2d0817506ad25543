import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

const PROCESSOR_TIMES = '/proc/stat'
/** Where the time that a host gave to others stands in a line of processor times, and how many of them there are before guests'. */
const STOLEN_COLUMN = 7
const COLUMNS = 8

/** Says what is going on; on standard error, so that standard output holds the tables alone. */
export function say(text: string): void {
  console.error(`· ${text}`)
}

/** What the figures were measured on; others who use the machine at the same time make them worse. */
export function sayMachine(): void {
  say(`${availableParallelism()} processors, ${process.arch}, load before: ${loadavg()[0]?.toFixed(1)}`)
  const before = processorTimes()
  if (before) process.once('exit', () => sayStolen(before))
}

/** A virtual machine whose host is busy is slow without a load of its own. */
function sayStolen(before: number[]): void {
  const passed = processorTimes()?.map((time, column) => time - (before[column] ?? 0)) ?? []
  const share = (passed[STOLEN_COLUMN] ?? 0) / passed.reduce((sum, time) => sum + time, 0)
  say(`the machine's host gave ${(share * 100).toFixed(1)} % of the processors' time to others`)
}

function processorTimes(): number[] | undefined {
  if (process.platform !== 'linux') return undefined
  const [line = ''] = readFileSync(PROCESSOR_TIMES, 'utf8').split('\n')
  return line
    .split(/\s+/)
    .slice(1, COLUMNS + 1)
    .map(Number)
}
