import type { Encoding } from '../../ingest/ingest.ts'
import type { ApiClient } from '../api-client.ts'
import type { OtlpClient } from '../otlp-client.ts'
import { Ledger } from './ledger.ts'
import { newRunId } from './probe-batch.ts'
import { readAllAgain, readAlong } from './read-back.ts'
import { writeProbes } from './write-probes.ts'

export interface VerifyOptions {
  writer: OtlpClient
  reader: ApiClient
  gridPath: string
  encoding: Encoding
  /** Spans a second. */
  rate: number
  /** In how many batches they are sent. */
  batchesPerSecond?: number
  /** Ends the writing; everything acknowledged is still read back. */
  stop: AbortController
  /** Called every few seconds. */
  onProgress: (ledger: Ledger, phase: 'writing' | 'reading everything again') => void
}

/** Reading costs a request for each batch, of which a key has 600 a minute: enough for this many, twice. */
const BATCHES_PER_SECOND = 2
const PROGRESS_EVERY_MS = 5_000

/** Writes at a rate, reads each batch back once it is acknowledged, and all of them once more at the end. */
export async function verify(options: VerifyOptions): Promise<{ ledger: Ledger; failure: unknown }> {
  const { rate, batchesPerSecond = BATCHES_PER_SECOND, encoding, gridPath, stop, onProgress } = options
  const spansPerBatch = Math.max(1, Math.round(rate / batchesPerSecond))
  const run = { id: newRunId(), spansPerBatch }
  const ledger = new Ledger(spansPerBatch)
  const reading = { run, client: options.reader, gridPath, ledger }
  let isWriting = true
  let failure: unknown
  const timer = setInterval(
    () => onProgress(ledger, isWriting ? 'writing' : 'reading everything again'),
    PROGRESS_EVERY_MS,
  )
  const writing = writeProbes({
    run,
    client: options.writer,
    encoding,
    intervalMs: (1000 * spansPerBatch) / rate,
    ledger,
    stop,
  })
    .catch((error: unknown) => {
      failure ??= error
    })
    .finally(() => {
      isWriting = false
    })
  try {
    const missed = await readAlong(reading, () => isWriting)
    await writing
    await readAllAgain(reading, missed)
  } catch (error) {
    failure ??= error
  } finally {
    stop.abort()
    await writing
    clearInterval(timer)
  }
  return { ledger, failure }
}
