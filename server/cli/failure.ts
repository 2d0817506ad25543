/** The command was refused or failed. The message is one line for the person at the terminal. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed'
  readonly exitCode: 1 | 2 = 1
}

/** The command was not given as it has to be. */
export class WrongUsage extends CommandFailed {
  override readonly name = 'WrongUsage'
  override readonly exitCode = 2
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
