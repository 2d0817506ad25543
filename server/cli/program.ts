import { Command } from 'commander'
import { addBackupCommands } from './backup/backup-commands.ts'
import { addDemoCommand } from './demo/demo-command.ts'
import { addImportCommand } from './import/import-command.ts'
import { addLoginCommands } from './login/login-commands.ts'
import { addAlertCommands } from './manage/alert-commands.ts'
import { addAuditCommands } from './manage/audit-commands.ts'
import { addChannelCommands } from './manage/channel-commands.ts'
import { addChartCommands } from './manage/chart-commands.ts'
import { addClientCommands } from './manage/client-commands.ts'
import { addDashboardCommands } from './manage/dashboard-commands.ts'
import { addGridCommands } from './manage/grid-commands.ts'
import { addKeyCommands } from './manage/key-commands.ts'
import { addMemberCommands } from './manage/member-commands.ts'
import { addPrivacyCommands } from './manage/privacy-commands.ts'
import { addRuleCommands } from './manage/rule-commands.ts'
import { addSilenceCommands } from './manage/silence-commands.ts'
import { addUserCommands } from './manage/user-commands.ts'
import { addQueryCommands } from './query/query-commands.ts'
import { addServeCommand } from './serve/serve-command.ts'
import type { Shell } from './shell.ts'
import { addVerifyCommand } from './verify/verify-command.ts'
import { packageVersion } from './version.ts'

export function createProgram(shell: Shell): Command {
  const program = new Command('faultline')
    .description('OpenTelemetry in, root causes out.')
    .version(packageVersion())
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
    })
    .exitOverride()
  addServeCommand(program, shell)
  addDemoCommand(program, shell)
  addQueryCommands(program, shell)
  addImportCommand(program, shell)
  addVerifyCommand(program, shell)
  addBackupCommands(program, shell)
  addLoginCommands(program, shell)
  addAlertCommands(program, shell)
  addRuleCommands(program, shell)
  addChannelCommands(program, shell)
  addSilenceCommands(program, shell)
  addChartCommands(program, shell)
  addDashboardCommands(program, shell)
  addPrivacyCommands(program, shell)
  addGridCommands(program, shell)
  addKeyCommands(program, shell)
  addMemberCommands(program, shell)
  addUserCommands(program, shell)
  addClientCommands(program, shell)
  addAuditCommands(program, shell)
  return program
}
