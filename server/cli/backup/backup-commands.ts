import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { BackupProgress } from '../../backup/backup-progress.ts'
import { connectionOptions, jsonText } from '../api-command.ts'
import { bytesText } from '../bytes-text.ts'
import { type ConnectionFlags, dataDirOf } from '../connection-flags.ts'
import { printLine, type Shell } from '../shell.ts'
import { backUpRunning } from './back-up-running.ts'
import { createByteProgress } from './byte-progress.ts'

interface BackupFlags extends ConnectionFlags {
  json?: true
}

export function addBackupCommands(program: Command, shell: Shell): void {
  addBackupCommand(program, shell)
  addRestoreCommand(program, shell)
}

function addBackupCommand(program: Command, shell: Shell): void {
  const command = program
    .command('backup <folder>')
    .description(
      "copy telemetry and control data to a folder on the server's machine, of a server that runs or one that does not; what an earlier backup in it has is not copied again",
    )
  for (const option of connectionOptions()) command.addOption(option)
  command.option('--json', 'print what was done as JSON').action(async () => {
    const flags = command.opts<BackupFlags>()
    const [folder = ''] = command.args
    const progress = createByteProgress(shell.stderr)
    const done =
      (await backUpRunning(shell, flags, folder, progress)) ?? (await backUpStopped(shell, flags, folder, progress))
    printLine(shell.stdout, flags.json ? jsonText(done) : summaryOf(done))
  })
}

async function backUpStopped(shell: Shell, flags: BackupFlags, folder: string, progress: (at: BackupProgress) => void) {
  // The store is loaded for the commands that open it; all others start without it.
  const stopped = await import('./back-up-stopped.ts')
  return await stopped.backUpStopped(shell.env, dataDirOf(shell, flags), resolve(folder), progress)
}

function summaryOf({
  folder,
  files,
  filesCopied,
  bytesCopied,
  bytesKept,
}: BackupProgress & { folder: string }): string {
  return `Backed up to ${folder}: ${files} files, of which ${filesCopied} were copied (${bytesText(bytesCopied)}); ${bytesText(bytesKept)} were there already.`
}

function addRestoreCommand(program: Command, shell: Shell): void {
  const command = program
    .command('restore <folder>')
    .description('put a backup into a data folder that holds no data yet, after looking whether all of it is there')
    .addOption(new Option('--data-dir <path>', 'the data folder (FAULTLINE_DATA_DIR)'))
  command.option('--json', 'print what was done as JSON').action(async () => {
    const flags = command.opts<BackupFlags>()
    const dataDir = dataDirOf(shell, flags)
    const folder = resolve(command.args[0] ?? '')
    const { restore } = await import('./restore.ts')
    const { startedAt, files } = await restore(folder, dataDir, createByteProgress(shell.stderr))
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const done = { folder, dataDir, startedAt, files: files.length, bytes }
    const told = `Restored ${files.length} files (${bytesText(bytes)}) to ${dataDir}, as they were at ${startedAt}. Start it with \`faultline serve --data-dir ${dataDir}\`.`
    printLine(shell.stdout, flags.json ? jsonText(done) : told)
  })
}
