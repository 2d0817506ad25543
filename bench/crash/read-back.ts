import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { ID_BYTES } from '../load/compiled-batch.ts'
import type { MeasuredServer } from '../server/measured-server.ts'

const SPANS = 20
/** One in each so many: most of the batches that were acknowledged last. */
const STEP = 97

/** How many of some spans at the end of the journal the server cannot show, or shows in another trace. */
export async function unanswered(server: MeasuredServer, journal: string): Promise<number> {
  let count = 0
  for (const ids of lastIds(journal)) if (!(await isKnown(server, ids))) count++
  return count
}

async function isKnown(server: MeasuredServer, ids: { traceId: string; spanId: string }): Promise<boolean> {
  const headers = { 'api-key': server.apiKey, 'x-api-version': '2.0' }
  for (;;) {
    const answer = await fetch(`${server.url}/apm/traces/${server.gridId}/details/${ids.spanId}`, { headers })
    const span = (await answer.json()) as { traceId?: string }
    if (answer.status !== 429 && answer.status !== 503) return answer.status === 200 && span.traceId === ids.traceId
    await delay(Number(answer.headers.get('retry-after') ?? 1) * 1000)
  }
}

function lastIds(journal: string): { traceId: string; spanId: string }[] {
  const file = openSync(journal, 'r')
  const count = Math.floor(fstatSync(file).size / ID_BYTES)
  const places = Array.from({ length: SPANS }, (_, i) => count - 1 - i * STEP).filter((place) => place >= 0)
  const ids = places.map((place) => {
    const bytes = Buffer.alloc(ID_BYTES)
    readSync(file, bytes, 0, ID_BYTES, place * ID_BYTES)
    return { traceId: bytes.toString('hex', 0, 16), spanId: bytes.toString('hex', 16) }
  })
  closeSync(file)
  return ids
}
