import { createReadStream } from 'node:fs'
import { UBIGINT, UUID } from '@duckdb/node-api'
import { ChunkBuilder } from '../../server/storage/duckdb/engine/chunk-builder.ts'
import type { Session } from '../../server/storage/duckdb/engine/session.ts'
import { ID_BYTES } from '../load/compiled-batch.ts'
import { readHours } from '../store/sealed-hours.ts'

/** What was acknowledged against what is stored; each count should be 0 but the first. */
export interface Comparison {
  acknowledged: number
  /** Acknowledged, and not stored. */
  missing: number
  /** Stored more than once. */
  repeated: number
  /** Stored, and never acknowledged. */
  unacknowledged: number
}

/** Compares a journal of acknowledged spans with the hour files of a stopped server, span by span. */
export async function compareWithStore(journal: string, files: string[]): Promise<Comparison> {
  return await readHours(files, async (session) => {
    await loadJournal(session, journal)
    const stored = files.map(
      (_, i) => `SELECT trace_id, span_id FROM hour_${i}.spans JOIN hour_${i}.traces USING (trace_no)`,
    )
    await session.run(
      `CREATE TEMP TABLE stored AS SELECT trace_id, span_id, count(*) AS copies FROM (${stored.join(' UNION ALL ')}) GROUP BY ALL`,
    )
    return {
      acknowledged: await count(session, 'acknowledged'),
      missing: await count(session, 'acknowledged ANTI JOIN stored USING (trace_id, span_id)'),
      repeated: await count(session, 'stored WHERE copies > 1'),
      unacknowledged: await count(session, 'stored ANTI JOIN acknowledged USING (trace_id, span_id)'),
    }
  })
}

async function count(session: Session, from: string): Promise<number> {
  const [row] = await session.rows(`SELECT count(*)::DOUBLE AS n FROM ${from}`)
  return Number(row?.['n'])
}

async function loadJournal(session: Session, journal: string): Promise<void> {
  await session.run('CREATE TEMP TABLE acknowledged (trace_id UUID, span_id UBIGINT)')
  const appender = await session.connection.createAppender('acknowledged')
  const rows = new ChunkBuilder([UUID, UBIGINT])
  for await (const ids of createReadStream(journal, { highWaterMark: ID_BYTES * 16_384 })) {
    const bytes = ids as Buffer
    for (let at = 0; at < bytes.length; at += ID_BYTES) {
      rows.putUuid(0, bytes, at)
      rows.putReversed(1, bytes, at + 16, 8)
      rows.endRow()
    }
    for (const chunk of rows.take()) appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}
