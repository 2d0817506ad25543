import { type Command, Option } from 'commander'
import type { Flags } from '../../config/config.ts'
import { flagOf, SETTINGS, type Setting } from '../../config/settings.ts'
import type { Shell } from '../shell.ts'

export function addServeCommand(program: Command, shell: Shell): void {
  const command = program.command('serve').description('run the server, in the foreground')
  for (const option of settingOptions()) command.addOption(option)
  command.action(async () => {
    // The server is loaded for the commands that run it; all others start without it.
    const { serve } = await import('./serve.ts')
    await serve(shell, command.opts<Flags>())
  })
}

/** Every setting as a flag. They are read and judged by the configuration, together with their variables. */
export function settingOptions(): Option[] {
  return Object.values<Setting<unknown>>(SETTINGS).map((setting) => {
    const { variable, description, default: given } = setting
    const text = `${description.replaceAll('`', '')} ${variable}${given ? `, by default ${given}` : ''}`
    return new Option(`${flagOf(setting)} <value>`, text)
  })
}
