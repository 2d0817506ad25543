import { stat } from 'node:fs/promises'
import duckdb from '@duckdb/node-bindings'
import type { Session } from '../engine/session.ts'
import { isDamage } from '../files/data-file.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import { fingerprint, fingerprintOf, mixBytes, seedsOf } from './fingerprint.ts'
import type { RecentKeys } from './recent-keys.ts'
import { wireNumber, wireUuid } from './wire-cells.ts'

/** Of sealed rows, this many are remembered across a restart, those sealed last: retries come soon. */
const SEALED_KEYS_MAX = 1_000_000
/** Small Grids have many files with few keys each, and opening a file takes longer than reading it. */
const CANDIDATES_MAX = 2_000
const FILES_MAX = 16
/** Of every Grid what was sealed last is looked at, though, as long as there are no more Grids than start in time. */
const FILES_OF_ALL_GRIDS_MAX = 200
const FILES_OF_EACH_GRID = 2

type Kind = 'span' | 'log' | 'point'

/** Fills the set with the keys of every row that is not sealed yet, and of the rows that were sealed last. */
export async function loadKeys(
  session: Session,
  keys: RecentKeys,
  open: OpenFile[],
  hourFiles: HourFiles,
  newest: HourFile[],
): Promise<void> {
  let left = SEALED_KEYS_MAX
  for (const file of newest) {
    if (left <= 0) break
    const release = await hourFiles.use(file)
    if (!release) continue
    try {
      for (const kind of KINDS) left -= await loadKind(session, keys, kind, sealedKeys(file, kind, left))
    } catch (error) {
      if (!isDamage(error as Error)) throw error
      await hourFiles.examine([file])
    } finally {
      release()
    }
  }
  for (const file of open) for (const kind of KINDS) await loadKind(session, keys, kind, OPEN_KEYS[kind](file.alias))
}

const KINDS: Kind[] = ['span', 'log', 'point']

/** Each selects a Grid and one or two fixed-width columns that identify a row. */
const OPEN_KEYS: Record<Kind, (alias: string) => string> = {
  span: (alias) => `SELECT grid, trace_id, span_id FROM ${alias}.spans`,
  log: (alias) => `SELECT grid, id FROM ${alias}.logs`,
  point: (alias) => `SELECT grid, series, time_ns FROM ${alias}.points`,
}

function sealedKeys(file: HourFile, kind: Kind, limit: number): string {
  const { alias } = file
  const last = (table: string) =>
    `(SELECT * FROM ${alias}.${table} WHERE rowid >= (SELECT count(*) FROM ${alias}.${table}) - ${limit})`
  const grid = `'${file.gridId}'::UUID`
  if (kind === 'span')
    return `SELECT ${grid}, t.trace_id, s.span_id FROM ${last('spans')} s JOIN ${alias}.traces t USING (trace_no)`
  if (kind === 'log') return `SELECT ${grid}, id FROM ${last('logs')}`
  return `SELECT ${grid}, r.series, p.time_ns FROM ${last('points')} p JOIN ${alias}.series r USING (series_no)`
}

/** Reads the database's own memory: a value at a time would take seconds. */
async function loadKind(session: Session, keys: RecentKeys, kind: Kind, sql: string): Promise<number> {
  const seeds = new Map<string, Uint32Array>()
  const result = await session.connection.stream(sql)
  let rows = 0
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const count = chunk.rowCount
    const column = (index: number, width: number) =>
      duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, index), count * width)
    const grids = column(0, 16)
    const first = column(1, 16)
    const second = kind === 'log' ? undefined : column(2, 8)
    for (let row = 0; row < count; row++) {
      fingerprintOf(seedsOfGrid(kind, grids, row, seeds), wireUuid(first, row), 0, 16)
      if (second) mixBytes(wireNumber(second, row), 0, 8)
      keys.add(fingerprint.high, fingerprint.low)
    }
    keys.confirm(keys.unconfirmed)
    rows += count
  }
  return rows
}

function seedsOfGrid(kind: Kind, grids: Uint8Array, row: number, known: Map<string, Uint32Array>): Uint32Array {
  const hex = Buffer.from(wireUuid(grids, row)).toString('hex')
  const found = known.get(hex)
  if (found) return found
  const grid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const seeds = seedsOf(`${kind} ${grid}`)
  known.set(hex, seeds)
  return seeds
}

/** Those sealed last come first. */
export async function lastSealed(hourFiles: HourFiles): Promise<HourFile[]> {
  const grids = hourFiles.grids()
  const perGrid = Math.max(1, Math.ceil(CANDIDATES_MAX / Math.max(1, grids.length)))
  const candidates = grids.flatMap((gridId) => {
    return hourFiles
      .ofGrid(gridId)
      .sort((a, b) => b.hour - a.hour)
      .slice(0, perGrid)
  })
  const times = await Promise.all(
    candidates.map((file) =>
      stat(file.path).then(
        (found) => found.mtimeMs,
        () => 0,
      ),
    ),
  )
  const timed = candidates.map((file, i) => ({ file, time: times[i] ?? 0 })).sort((a, b) => b.time - a.time)
  const chosen: HourFile[] = []
  const ofGrid = new Map<string, number>()
  for (const { file } of timed) {
    const known = ofGrid.get(file.gridId) ?? 0
    const isWanted = chosen.length < (known < FILES_OF_EACH_GRID ? FILES_OF_ALL_GRIDS_MAX : FILES_MAX)
    if (!isWanted) continue
    chosen.push(file)
    ofGrid.set(file.gridId, known + 1)
  }
  return chosen
}
