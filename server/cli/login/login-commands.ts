import type { Command } from 'commander'
import { serverUrlOf } from '../connection-flags.ts'
import { printLine, type Shell } from '../shell.ts'
import { signInWithBrowser } from './browser-sign-in.ts'
import { changeLogins, loginFileOf } from './login-file.ts'

interface LoginFlags {
  url?: string
}

const URL_OPTION = ['--url <url>', 'the server (FAULTLINE_URL)'] as const

export function addLoginCommands(program: Command, shell: Shell): void {
  program
    .command('login')
    .description('sign in with a browser, for all later commands to this server that are given no key')
    .option(...URL_OPTION)
    .action((flags: LoginFlags) => login(shell, flags))
  program
    .command('logout')
    .description('forget a login')
    .option(...URL_OPTION)
    .action((flags: LoginFlags) => logout(shell, flags))
}

async function login(shell: Shell, flags: LoginFlags): Promise<void> {
  const url = await serverUrlOf(shell, flags)
  const made = await signInWithBrowser(url, (address) =>
    printLine(shell.stdout, `Open this address in a browser and sign in:\n\n  ${address}\n`),
  )
  await changeLogins(loginFileOf(shell.env), async (logins) => [...logins.filter((one) => one.url !== url), made])
  printLine(shell.stdout, `Signed in to ${url}.`)
}

async function logout(shell: Shell, flags: LoginFlags): Promise<void> {
  const url = await serverUrlOf(shell, flags)
  await changeLogins(loginFileOf(shell.env), async (logins) => logins.filter((one) => one.url !== url))
  printLine(shell.stdout, `Signed out of ${url}.`)
}
