import type { Environment } from '../config/config.ts'

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** Only a terminal has a raw mode. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }

/** What a command runs in: the environment and the terminal, or what stands for them in a test. */
export interface Shell {
  env: Environment
  stdin: Input
  stdout: Output
  stderr: Output
}

export function printLine(output: Output, line: string): void {
  output.write(`${line}\n`)
}
