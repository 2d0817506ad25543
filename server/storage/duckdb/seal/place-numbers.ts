import { UBIGINT, UINTEGER, VARCHAR } from '@duckdb/node-api'
import { appendRows, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import type { LiveHour } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { inPlace, type SealPlace } from './seal-place.ts'

/** The numbers that an hour file has for texts and origins, by their numbers in memory. */
export interface PlaceNumbers {
  names: Uint32Array
  origins: Uint32Array
}

const TIMES = { logs: 'time_ns', points: 'time_ns' } as const

/** Numbers the names and origins of a place that the hour file does not know yet. */
export async function numberNames(
  session: Session,
  place: SealPlace,
  live: LiveSpans,
  hour: LiveHour | undefined,
): Promise<PlaceNumbers> {
  const used = usedNumbers(live, hour)
  await appendUsed(session, place, live, used)
  const { alias } = place.file
  await session.run(
    `INSERT INTO ${alias}.names
     SELECT row_number() OVER () + (SELECT coalesce(max(name_no), 0) FROM ${alias}.names), name
     FROM (SELECT name FROM place_names UNION SELECT service FROM place_origins)
     WHERE name NOT IN (SELECT name FROM ${alias}.names)`,
  )
  await session.run(
    `INSERT INTO ${alias}.origins
     SELECT row_number() OVER () + (SELECT coalesce(max(origin_no), 0) FROM ${alias}.origins), p.origin, n.name_no,
       p.resource, p.scope_name, p.scope_version
     FROM (SELECT DISTINCT ON (origin) * FROM place_origins) p JOIN ${alias}.names n ON n.name = p.service
     WHERE p.origin NOT IN (SELECT origin FROM ${alias}.origins)`,
  )
  return await readNumbers(session, alias, live)
}

function usedNumbers(live: LiveSpans, hour: LiveHour | undefined): { texts: Uint8Array; origins: Uint8Array } {
  const texts = new Uint8Array(live.texts.end)
  const origins = new Uint8Array(live.origins.end)
  if (!hour) return { texts, origins }
  texts[0] = 1
  hour.markUsed(texts, origins)
  for (let i = 0; i < hour.spans; i++) {
    const { segment, row } = live.span(hour.ids[i] as number)
    texts[segment.service[row] as number] = 1
    texts[segment.operation[row] as number] = 1
    texts[segment.called[row] as number] = 1
    texts[segment.dependency[row] as number] = 1
    texts[segment.ownCallee[row] as number] = 1
    origins[segment.origin[row] as number] = 1
  }
  return { texts, origins }
}

async function appendUsed(
  session: Session,
  { open, rows, parameters }: SealPlace,
  live: LiveSpans,
  used: { texts: Uint8Array; origins: Uint8Array },
): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_names (text_id UINTEGER, name VARCHAR);
     CREATE OR REPLACE TEMP TABLE place_origins (
       origin_id UINTEGER, origin UBIGINT, service VARCHAR, resource VARCHAR, scope_name VARCHAR, scope_version VARCHAR)`,
  )
  const names = new ChunkBuilder([UINTEGER, VARCHAR])
  used.texts.forEach((isUsed, id) => {
    if (isUsed === 0) return
    putWord(names, 0, id)
    names.putBytes(1, live.texts.bytesOf(id))
    names.endRow()
  })
  await appendRows(session, 'temp', 'place_names', names)
  const origins = new ChunkBuilder([UINTEGER, UBIGINT, VARCHAR, VARCHAR, VARCHAR, VARCHAR])
  used.origins.forEach((isUsed, id) => {
    if (isUsed === 0 || id === 0) return
    const { hex, origin } = live.origins.get(id)
    putWord(origins, 0, id)
    origins.putReversed(1, Buffer.from(hex, 'hex'), 0, 8)
    const texts = [origin.serviceName, origin.resourceJson, origin.scopeName, origin.scopeVersion]
    texts.forEach((text, i) => {
      if (text !== '') origins.putBytes(i + 2, Buffer.from(text))
    })
    origins.endRow()
  })
  await appendRows(session, 'temp', 'place_origins', origins)
  const others = Object.entries(TIMES)
    .filter(([table]) => rows[table as keyof typeof TIMES] > 0)
    .map(([table, time]) => `SELECT origin FROM ${open.alias}.${table} WHERE ${inPlace(time)}`)
  if (others.length === 0) return
  await session.run(
    `INSERT INTO place_origins SELECT DISTINCT ON (origin) NULL, * FROM ${open.alias}.origins
     WHERE origin IN (${others.join(' UNION ALL ')})`,
    parameters,
  )
}

async function readNumbers(session: Session, alias: string, live: LiveSpans): Promise<PlaceNumbers> {
  const names = await numbersById(
    session,
    live.texts.end,
    `SELECT p.text_id, n.name_no FROM place_names p JOIN ${alias}.names n ON n.name = p.name`,
  )
  const origins = await numbersById(
    session,
    live.origins.end,
    `SELECT p.origin_id, g.origin_no FROM place_origins p JOIN ${alias}.origins g ON g.origin = p.origin
     WHERE p.origin_id IS NOT NULL`,
  )
  return { names, origins }
}

/** The second column of an answer, by the first. */
async function numbersById(session: Session, end: number, sql: string): Promise<Uint32Array> {
  const numbers = new Uint32Array(end)
  const answer = await session.numbers(sql)
  const [ids, found] = [answer.column(0), answer.column(1)]
  for (let i = 0; i < answer.rows; i++) numbers[ids[i] as number] = found[i] as number
  return numbers
}
