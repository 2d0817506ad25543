import { isUnreadable, type Part, type UnreadablePart } from './part.ts'

/** Parts that travel in one request. */
export type Batch = readonly Part[]

const BATCH_BYTES = 2 * 1024 * 1024

/** Neighbours of the same kind together, up to a good size of a request. What cannot be read is told and left out. */
export async function* batchesOf(
  parts: AsyncIterable<Part | UnreadablePart>,
  onUnreadable: (part: UnreadablePart) => void,
  bytesMax = BATCH_BYTES,
): AsyncGenerator<Batch> {
  let batch: Part[] = []
  let bytes = 0
  for await (const part of parts) {
    if (isUnreadable(part)) {
      onUnreadable(part)
      continue
    }
    const fits = bytes + part.bytes.length <= bytesMax && isOfOneKind(batch.at(-1), part)
    if (batch.length > 0 && !fits) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(part)
    bytes += part.bytes.length
  }
  if (batch.length > 0) yield batch
}

function isOfOneKind(last: Part | undefined, part: Part): boolean {
  return last?.signal === part.signal && last.encoding === part.encoding && !last.isWhole && !part.isWhole
}
