import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'faultline.cjs')

/** The program as it is installed, in a process of its own, with no other setting than those given. */
export interface CliProcess {
  readonly child: ChildProcess
  /** All that it has written so far. */
  readonly output: () => string
  /** Resolves to the first match in its output; rejects where it ends without one. */
  waitFor(pattern: RegExp): Promise<string>
  /** Resolves to its exit code. */
  readonly exited: Promise<number | null>
}

export function startCli(args: string[], env: Record<string, string>, stdin = ''): CliProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'], ...env } })
  child.stdin.end(stdin)
  let output = ''
  const collect = (chunk: Buffer): void => {
    output += chunk
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, output: () => output, exited, waitFor: (pattern) => waitFor(child, () => output, pattern) }
}

/** Runs it to its end. */
export async function runCli(args: string[], env: Record<string, string>, stdin = '') {
  const { exited, output } = startCli(args, env, stdin)
  return { exitCode: await exited, output: output() }
}

function waitFor(child: ChildProcess, output: () => string, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = pattern.exec(output())
      if (found) resolve(found[1] ?? found[0])
    }
    child.stdout?.on('data', look)
    child.once('close', () => reject(new Error(`It ended without ${pattern}:\n${output()}`)))
    look()
  })
}
