import { UBIGINT, UINTEGER, VARCHAR } from '@duckdb/node-api'
import { appendRows, putPair, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import { joinedTexts } from '../engine/chunk-cells.ts'
import type { Session } from '../engine/session.ts'
import { contentHash } from '../write/fingerprint.ts'
import { FAILURE_TEXTS, ToldInTexts } from './failure-texts.ts'

/** So many texts are in memory at a time. */
const ROWS_AT_ONCE = 20_000

/** Of a file of an earlier program. */
export function failedSpansOf(alias: string): string {
  return `SELECT s.service_no, s.start_ns, t.trace_id, s.span_id, s.parent_id, s.duration_ns, s.kind, s.operation_no,
      s.status_message, s.attributes, s.events
    FROM ${alias}.spans s JOIN ${alias}.traces t USING (trace_no) WHERE s.status = 2`
}

/** Lists failed spans and what they tell in their hour, within the caller's transaction. */
export async function sealFailures(session: Session, alias: string, failed: string): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_failures AS
     SELECT (row_number() OVER () - 1)::UINTEGER AS row, service_no, start_ns, hash(trace_id) AS trace_key, span_id, parent_id, duration_ns, kind, operation_no,
       status_message, ${FAILURE_TEXTS} FROM (${failed}) s`,
  )
  await session.run(
    'CREATE OR REPLACE TEMP TABLE place_told (row UINTEGER, telling UBIGINT, content VARCHAR, own_values VARCHAR)',
  )
  const [found] = await session.rows('SELECT count(*)::INTEGER AS rows FROM place_failures')
  for (let first = 0; first < Number(found?.['rows']); first += ROWS_AT_ONCE) await tell(session, first)
  await session.run(
    `INSERT INTO ${alias}.failed_spans
     SELECT f.service_no, f.start_ns, f.trace_key, f.span_id, f.parent_id, f.duration_ns, f.kind, f.operation_no, t.telling,
       t.own_values FROM place_failures f JOIN place_told t USING (row)`,
  )
  await session.run(
    `INSERT INTO ${alias}.tellings SELECT telling, any_value(content) FROM place_told
     WHERE telling NOT IN (SELECT telling FROM ${alias}.tellings) GROUP BY telling`,
  )
}

/** Works out what the rows from this one on tell. */
async function tell(session: Session, first: number): Promise<void> {
  const told = new ChunkBuilder([UINTEGER, UBIGINT, VARCHAR, VARCHAR])
  const texts = new ToldInTexts()
  const tellings = new Map<string, NamedTelling>()
  await session.cells(
    `SELECT row, ${joinedTexts(['status_message', 'attributes', 'exceptions'])} FROM place_failures
     WHERE row BETWEEN ${first} AND ${first + ROWS_AT_ONCE - 1}`,
    (cells) => {
      const [rows, textsOf] = [cells.words(0), cells.texts(1, 3)]
      for (let i = 0; i < cells.rows; i++) {
        const [statusMessage = '', attributes = '', exceptions = ''] = textsOf(i)
        const { telling, values } = texts.of({ statusMessage, attributes, exceptions })
        const content = JSON.stringify(telling)
        const named = tellings.get(content) ?? namedTelling(content)
        tellings.set(content, named)
        putWord(told, 0, rows[i] as number)
        putPair(told, 1, named.low, named.high)
        told.putBytes(2, named.bytes)
        if (values.length > 0) told.putBytes(3, Buffer.from(JSON.stringify(values)))
        told.endRow()
      }
    },
  )
  await appendRows(session, 'temp', 'place_told', told)
}

/** What is told, and the hash that names it. */
interface NamedTelling {
  bytes: Uint8Array
  low: number
  high: number
}

function namedTelling(content: string): NamedTelling {
  const hash = contentHash(content)
  const words = new DataView(hash.buffer, hash.byteOffset)
  return { bytes: Buffer.from(content), low: words.getUint32(0, true), high: words.getUint32(4, true) }
}
