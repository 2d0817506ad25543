import type { Signal } from '../../ingest/ingest.ts'
import type { OtlpClient } from '../otlp-client.ts'
import type { Shell } from '../shell.ts'
import { type Batch, batchesOf } from './batches.ts'
import { deliver } from './deliver.ts'
import { ImportTally } from './import-tally.ts'
import { type InputOptions, partsOfFile, sizeOf } from './input-file.ts'
import type { Part, UnreadablePart } from './part.ts'
import { createProgress } from './progress.ts'

export interface ImportOptions {
  client: OtlpClient
  signal: Signal | undefined
  concurrency: number
}

export interface ImportOutcome {
  tally: ImportTally
  /** Why it ended before everything was sent. */
  failure: unknown
}

/** Reads ahead no further than what is under way, so that files may be of any size. */
export async function importFiles(shell: Shell, files: string[], options: ImportOptions): Promise<ImportOutcome> {
  const tally = new ImportTally()
  const progress = createProgress(shell.stderr, await totalSize(files))
  let bytesRead = 0
  const onBytes = (count: number): void => {
    bytesRead += count
  }
  const input = { signal: options.signal, stdin: shell.stdin, onBytes }
  const batches = batchesOf(allParts(files, input), (part) => tally.couldNotRead(part))
  const sendOn = async (): Promise<void> => {
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      await deliver(options.client, next.value, tally)
      progress.show(bytesRead, tally.accepted)
    }
  }
  const failure = await firstFailure(batches, Array.from({ length: options.concurrency }, sendOn))
  progress.stop()
  return { tally, failure }
}

/** The first one ends reading, so that the others find nothing more to send. */
async function firstFailure(batches: AsyncGenerator<Batch>, senders: Promise<void>[]): Promise<unknown> {
  let failure: unknown
  const settled = senders.map((sender) =>
    sender.catch(async (error: unknown) => {
      failure ??= error
      await batches.return(undefined)
    }),
  )
  await Promise.all(settled)
  return failure
}

async function* allParts(files: string[], input: InputOptions): AsyncGenerator<Part | UnreadablePart> {
  for (const file of files) yield* partsOfFile(file, input)
}

/** Undefined where one of them is a stream. Fails for the first file that is not there. */
async function totalSize(files: string[]): Promise<number | undefined> {
  let total: number | undefined = 0
  for (const file of files) {
    const size = await sizeOf(file)
    total = total === undefined || size === undefined ? undefined : total + size
  }
  return total
}
