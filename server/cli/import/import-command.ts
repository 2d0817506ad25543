import { type Command, Option } from 'commander'
import type { Signal } from '../../ingest/ingest.ts'
import { connectionOptions, jsonText } from '../api-command.ts'
import { senderOf } from '../connect.ts'
import type { ConnectionFlags } from '../connection-flags.ts'
import { CommandFailed } from '../failure.ts'
import { durationMs, wholeNumber } from '../option-parsers.ts'
import { createOtlpClient } from '../otlp-client.ts'
import { printable } from '../printable.ts'
import { printLine, type Shell } from '../shell.ts'
import { importFiles } from './import-files.ts'
import type { ImportTally } from './import-tally.ts'

interface ImportFlags extends ConnectionFlags {
  signal?: Signal
  concurrency: number
  patience: number
  json?: true
}

const ABOUT = `send telemetry from files to a server

A file holds OTLP/JSON, one export request on each line, or OTLP as protobuf: one message, or many behind their lengths
(varints, or 4 bytes as the Collector writes them). With .gz at the end of its name it is unpacked. - is standard input.
Sending a file again is harmless: what the server has already is not counted twice.`

export function addImportCommand(program: Command, shell: Shell): void {
  const command = program.command('import <files...>').summary('send telemetry from files').description(ABOUT)
  command.addOption(
    new Option('--signal <signal>', 'what protobuf files hold; by default their names say it').choices([
      'traces',
      'logs',
      'metrics',
    ]),
  )
  command.addOption(
    new Option('--concurrency <n>', 'requests under way at once').argParser(wholeNumber(1, 64)).default(4),
  )
  command.addOption(
    new Option('--patience <duration>', 'how long a server that is away or busy is waited for; by default 2m')
      .argParser(durationMs)
      .default(120_000, '2m'),
  )
  for (const option of connectionOptions()) command.addOption(option)
  command.option('--json', 'print the result as JSON')
  command.action(async (files: string[], flags: ImportFlags) => {
    const tally = await run(shell, files, flags)
    if (tally.refused + tally.unreadable > 0) throw new CommandFailed('Not everything was taken.')
  })
}

async function run(shell: Shell, files: string[], flags: ImportFlags): Promise<ImportTally> {
  const client = createOtlpClient({
    ...(await senderOf(shell, flags)),
    patience: { patienceMs: flags.patience, waitsForServer: true },
  })
  const startedMs = performance.now()
  const { tally, failure } = await importFiles(shell, files, {
    client,
    signal: flags.signal,
    concurrency: flags.concurrency,
  })
  const seconds = (performance.now() - startedMs) / 1000
  printLine(shell.stdout, flags.json ? jsonText(resultOf(tally)) : report(tally, seconds))
  if (failure) throw failure
  return tally
}

function resultOf({ accepted, refused, unreadable, reasons }: ImportTally): object {
  return { accepted, refused, unreadable, reasons: [...reasons].map(([reason, count]) => ({ reason, count })) }
}

function report(tally: ImportTally, seconds: number): string {
  const { accepted, refused, unreadable, reasons } = tally
  const summary = `${accepted} records were taken and ${refused} refused in ${seconds.toFixed(1)} seconds.`
  const unread = unreadable === 0 ? [] : [`${unreadable} pieces of the files could not be read.`]
  const why = [...reasons].map(([reason, count]) => `  ${count} × ${printable(reason)}`)
  const isTooOld = [...reasons.keys()].some((reason) => reason.includes('longer than is kept'))
  const hint = isTooOld
    ? ['Records older than the retention of the Grid are refused; `faultline grids retention` changes it.']
    : []
  return [summary, ...unread, ...why, ...hint].join('\n')
}
