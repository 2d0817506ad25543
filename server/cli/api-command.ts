import { type Command, Option } from 'commander'
import { SETTINGS } from '../config/settings.ts'
import type { ApiClient } from './api-client.ts'
import { chooseGrid } from './choose-grid.ts'
import { connect } from './connect.ts'
import type { ConnectionFlags } from './connection-flags.ts'
import { printLine, type Shell } from './shell.ts'

/** What a command is asked with. */
export interface Asked<Flags> {
  client: ApiClient
  /** The path segment of the Grid that was named, or of the only one. */
  gridPath: () => Promise<string>
  args: readonly string[]
  flags: Flags
  shell: Shell
}

/** A command that asks a running server something and shows the answer, or prints it as JSON. */
export interface ApiCommand<Answer, Flags = object> {
  /** Its name and its arguments as commander writes them: `rotate <keyId>`. */
  usage: string
  about: string
  options?: Option[]
  /** Takes `--grid`. */
  onGrid?: true
  /** Nobody but a platform administrator may do it. */
  administers?: true
  ask(asked: Asked<Flags>): Promise<Answer>
  show(answer: Answer, flags: Flags): string
}

interface CommonFlags extends ConnectionFlags {
  json?: true
  grid?: string
}

export function addApiCommand<Answer, Flags>(
  parent: Command,
  shell: Shell,
  definition: ApiCommand<Answer, Flags>,
): void {
  const command = parent.command(definition.usage).description(definition.about)
  for (const option of definition.options ?? []) command.addOption(option)
  if (definition.onGrid) command.addOption(gridOption())
  for (const option of connectionOptions()) command.addOption(option)
  command.option('--json', 'print the answer as JSON')
  command.action(async () => {
    const flags = command.opts<Flags & CommonFlags>()
    const client = await connect(shell, flags, definition.administers ?? false)
    const named = flags.grid || shell.env[SETTINGS.gridId.variable]?.trim() || undefined
    const gridPath = async () => encodeURIComponent(await chooseGrid(client, named))
    const answer = await definition.ask({ client, gridPath, args: command.args, flags, shell })
    const text = flags.json ? jsonText(answer) : definition.show(answer, flags)
    if (text !== '') printLine(shell.stdout, text)
  })
}

export function gridOption(): Option {
  return new Option('--grid <id or name>', 'the Grid; by default FAULTLINE_GRID_ID, or the only one there is')
}

export function connectionOptions(): Option[] {
  return [
    new Option('--url <url>', 'the server (FAULTLINE_URL); by default the one that runs on the data folder'),
    new Option('--api-key <key>', 'the key to sign in with (FAULTLINE_API_KEY)'),
    new Option(
      '--data-dir <path>',
      "a local server's data folder (FAULTLINE_DATA_DIR), to administer it without a key",
    ),
  ]
}

/** An answer without a body is no text. */
export function jsonText(answer: unknown): string {
  return answer === undefined ? '' : JSON.stringify(answer, null, 2)
}
