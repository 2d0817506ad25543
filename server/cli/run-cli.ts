import { CommanderError } from 'commander'
import { CommandFailed, messageOf } from './failure.ts'
import { printable } from './printable.ts'
import { createProgram } from './program.ts'
import { printLine, type Shell } from './shell.ts'

/** Resolves to the exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export async function runCli(args: string[], shell: Shell): Promise<number> {
  try {
    await createProgram(shell).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error, shell)
  }
}

function exitCodeOf(error: unknown, { env, stderr }: Shell): number {
  // Commander has printed what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const debugging = ['debug', 'trace'].includes(env['FAULTLINE_LOG_LEVEL']?.trim().toLowerCase() ?? '')
  if (debugging && error instanceof Error) printLine(stderr, error.stack ?? error.message)
  if (error instanceof CommandFailed) {
    printLine(stderr, `faultline: ${printable(error.message)}`)
    return error.exitCode
  }
  printLine(stderr, `faultline: ${printable(messageOf(error))} (FAULTLINE_LOG_LEVEL=debug shows where)`)
  return 1
}
