import { type Command, Option } from 'commander'
import { SETTINGS } from '../../config/settings.ts'
import type { Encoding } from '../../ingest/ingest.ts'
import { createApiClient } from '../api-client.ts'
import { connectionOptions, gridOption, jsonText } from '../api-command.ts'
import { chooseGrid } from '../choose-grid.ts'
import { keyCredential, senderOf } from '../connect.ts'
import type { ConnectionFlags } from '../connection-flags.ts'
import { CommandFailed } from '../failure.ts'
import { durationMs, wholeNumber } from '../option-parsers.ts'
import { createOtlpClient } from '../otlp-client.ts'
import { printable } from '../printable.ts'
import { printLine, type Shell } from '../shell.ts'
import type { Ledger } from './ledger.ts'
import { verify } from './verify.ts'

interface VerifyFlags extends ConnectionFlags {
  rate: number
  seconds: number
  encoding: Encoding
  patience: number
  grid?: string
  json?: true
}

const ABOUT = `write spans, read every acknowledged one back, and report any loss

Needs an API key with the scopes ingest and read. The server may be stopped, killed and started again meanwhile. The
spans are of a service called faultline-verify and stay until the retention removes them. Ctrl-C ends the writing.`

export function addVerifyCommand(program: Command, shell: Shell): void {
  const command = program.command('verify').summary('write and read back, and report any loss').description(ABOUT)
  const options = [
    new Option('--rate <n>', 'spans a second').argParser(wholeNumber(1, 100_000)).default(1000),
    new Option('--seconds <n>', 'how long to write; 0 until Ctrl-C').argParser(wholeNumber(0, 31_536_000)).default(60),
    new Option('--encoding <name>', 'of what is sent').choices(['protobuf', 'json']).default('protobuf'),
    new Option('--patience <duration>', 'how long a server that is away or busy is waited for')
      .argParser(durationMs)
      .default(120_000, '2m'),
    gridOption(),
    ...connectionOptions(),
  ]
  for (const option of options) command.addOption(option)
  command.option('--json', 'print the result as JSON')
  command.action(async () => run(shell, command.opts<VerifyFlags>()))
}

async function run(shell: Shell, flags: VerifyFlags): Promise<void> {
  const { url, apiKey } = await senderOf(shell, flags)
  const patience = { patienceMs: flags.patience, waitsForServer: true }
  const reader = createApiClient({ url, credential: keyCredential(apiKey), patience })
  const grid = await chooseGrid(reader, flags.grid || shell.env[SETTINGS.gridId.variable]?.trim() || undefined)
  const { ledger, failure } = await verify({
    writer: createOtlpClient({ url, apiKey, patience }),
    reader,
    gridPath: encodeURIComponent(grid),
    encoding: flags.encoding,
    rate: flags.rate,
    stop: endOfWriting(flags.seconds),
    onProgress: (sofar, phase) => printLine(shell.stderr, `${phase}: ${countsText(sofar)}`),
  })
  printLine(shell.stdout, flags.json ? jsonText(resultOf(ledger)) : report(ledger))
  if (failure) throw failure
  if (!ledger.isClean()) throw new CommandFailed('Not every acknowledged span was read back as it was sent.')
}

/** After so many seconds or at the first signal; the second one ends the program. */
function endOfWriting(seconds: number): AbortController {
  const end = new AbortController()
  const stop = (): void => {
    if (end.signal.aborted) process.exit(1)
    end.abort()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  if (seconds > 0) setTimeout(() => end.abort(), seconds * 1000).unref()
  return end
}

function resultOf({ counts, slowestMs, rejectedReason }: Ledger): object {
  return { ...counts, rejectedReason, slowestAcknowledgementMs: Math.round(slowestMs) }
}

function countsText({ counts }: Ledger): string {
  return `${counts.acknowledged} spans acknowledged, ${counts.checked} read back`
}

function report(ledger: Ledger): string {
  const { late, lost, surplus, altered, rejected } = ledger.counts
  const lines = [
    `${countsText(ledger)}: ${lost} lost, ${surplus} too many, ${altered} altered, ${late} late, ${rejected} rejected.`,
    `The slowest acknowledgement took ${Math.round(ledger.slowestMs)} ms.`,
    ...(rejected > 0 ? [`Rejected because: ${printable(ledger.rejectedReason)}`] : []),
  ]
  return lines.join('\n')
}
