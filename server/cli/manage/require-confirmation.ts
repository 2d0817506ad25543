import { createInterface } from 'node:readline/promises'
import { CommandFailed, WrongUsage } from '../failure.ts'
import { printable } from '../printable.ts'
import type { Shell } from '../shell.ts'

/** Before what cannot be undone: the name of what is meant has to be typed. */
export async function requireConfirmation({ stdin, stderr }: Shell, what: string, name: string): Promise<void> {
  if (!stdin.isTTY) throw new WrongUsage('This cannot be undone: give --yes, or call it on a terminal to be asked.')
  const terminal = createInterface({ input: stdin, output: stderr })
  try {
    const typed = await terminal.question(`${what} This cannot be undone. Type ${printable(name)} to go on: `)
    if (typed !== name) throw new CommandFailed('Nothing was done.')
  } finally {
    terminal.close()
  }
}
