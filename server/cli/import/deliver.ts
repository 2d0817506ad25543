import type { OtlpClient } from '../otlp-client.ts'
import { RequestFailed } from '../request-failed.ts'
import type { Batch } from './batches.ts'
import type { ImportTally } from './import-tally.ts'
import { requestOf } from './part.ts'

/** Refusals that are about what was sent, not about who sent it: the next batch may fare better. */
const ABOUT_CONTENT = [400, 413, 422]

/** Sends a batch. One that is refused is cut in two until the parts at fault stand alone, so that the rest is kept. */
export async function deliver(client: OtlpClient, batch: Batch, tally: ImportTally): Promise<void> {
  const [first] = batch
  if (first === undefined) return
  const records = batch.reduce((sum, part) => sum + part.records, 0)
  try {
    const { rejected, reason } = await client.send(first.signal, first.encoding, requestOf(batch))
    tally.acknowledged(records, rejected, reason)
  } catch (error) {
    if (!(error instanceof RequestFailed) || !ABOUT_CONTENT.includes(error.status ?? 0)) throw error
    if (batch.length === 1) return tally.refusedWhole(records, first.where, error.message)
    const middle = Math.ceil(batch.length / 2)
    await deliver(client, batch.slice(0, middle), tally)
    await deliver(client, batch.slice(middle), tally)
  }
}
