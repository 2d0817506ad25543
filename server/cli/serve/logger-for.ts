import { isatty } from 'node:tty'
import { type Logger, pino } from 'pino'

const STDOUT = 1

/** Readable lines on a terminal, JSON for everything else that reads standard output. */
export async function loggerFor(level: string): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (!isatty(STDOUT)) return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ translateTime: 'SYS:HH:MM:ss.l', destination: STDOUT, sync: true }))
}
