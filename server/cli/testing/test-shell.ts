import { PassThrough, Readable } from 'node:stream'
import { runCli } from '../run-cli.ts'
import type { Shell } from '../shell.ts'

export interface CliResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** Runs a command as a person would, with nothing in its environment but what is given. */
export async function faultline(args: string[], env: Record<string, string> = {}, stdin = ''): Promise<CliResult> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const shell: Shell = { env, stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr }
  const exitCode = await runCli(args, shell)
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) }
}

function textOf(stream: PassThrough): string {
  return String(stream.read() ?? '')
}
