import { PassThrough, Readable } from 'node:stream'
import { runCli } from '../run-cli.ts'
import type { Shell } from '../shell.ts'

export interface CliResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** Runs a command as a person would, with nothing in its environment but what is given. */
export async function faultline(
  args: string[],
  env: Record<string, string> = {},
  stdin = '',
  terminal: { isTTY?: true } = {},
): Promise<CliResult> {
  return start(args, env, stdin, terminal).finished
}

/** The same for a command that is to be watched: `output` is what it has printed so far. */
export function start(args: string[], env: Record<string, string> = {}, stdin = '', terminal: { isTTY?: true } = {}) {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const input = Object.assign(Readable.from([Buffer.from(stdin)]), terminal)
  const shell: Shell = { env: { HOME: '/nowhere', ...env }, stdin: input, stdout, stderr }
  let printed = ''
  stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const finished = runCli(args, shell).then((exitCode) => ({
    exitCode,
    stdout: printed,
    stderr: String(stderr.read() ?? ''),
  }))
  return { finished, output: () => printed }
}
