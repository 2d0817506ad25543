import type { Environment } from '../config/config.ts'

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** What a command runs in: the environment and the terminal, or what stands for them in a test. */
export interface Shell {
  env: Environment
  stdin: NodeJS.ReadStream
  stdout: Output
  stderr: Output
}

export function printLine(output: Output, line: string): void {
  output.write(`${line}\n`)
}
