import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from './database.ts'
import type { HourFile, HourFiles } from './hour-files.ts'
import type { Layout } from './layout.ts'
import { createTables, HOUR_FILE_TABLES } from './schema.ts'

/** Rows are sorted so many at a time, to keep to the memory limit. */
const ROWS_PER_SLICE = 200_000
/** A compacted file is rewritten again when so many sealings have been added to it. */
const LATE_SEALINGS_MAX = 8
/** Late spans still come for a while. */
const CLOSED_AFTER_MS = 10 * 60_000
const HOUR_MS = 3_600_000

/** An hour that no more is expected of. */
export function isClosed(hour: number, nowMs: number): boolean {
  return (hour + 1) * HOUR_MS + CLOSED_AFTER_MS <= nowMs
}

/** Where several sealings wrote an hour, rewrites it in one order and puts the new file in its place. */
export async function compactHour(
  session: Session,
  files: HourFiles,
  layout: Layout,
  gridId: string,
  hour: number,
): Promise<void> {
  await files.exclusively(gridId, hour, async () => {
    const file = files.find(gridId, hour)
    if (!file?.mayBeScattered) return
    const release = await files.use(file)
    if (!release) return
    const rewritten = await rewrite(session, layout, file).finally(release)
    if (rewritten === undefined) file.mayBeScattered = false
    else await files.replace(file, rewritten)
  })
}

async function rewrite(session: Session, layout: Layout, file: HourFile): Promise<string | undefined> {
  if (!(await isScattered(session, file))) return undefined
  const path = join(layout.temporaryFolder, `${file.gridId}-${file.hour}.duckdb`)
  await rm(path, { force: true })
  await rm(`${path}.wal`, { force: true })
  await session.run(`ATTACH '${path.replaceAll("'", "''")}' AS rewritten (STORAGE_VERSION 'latest')`)
  try {
    await session.run(createTables('rewritten', HOUR_FILE_TABLES))
    await copyTables(session, file)
    await session.run('CHECKPOINT rewritten')
  } finally {
    await session.run('DETACH rewritten')
  }
  return path
}

async function isScattered(session: Session, { alias }: HourFile): Promise<boolean> {
  const [found] = await session.rows(
    `SELECT (SELECT count(*) FROM ${alias}.sealed) AS sealings,
       (SELECT max(sealings) FROM ${alias}.compacted) AS compacted`,
  )
  const sealings = Number(found?.['sealings'])
  const compacted = found?.['compacted']
  return compacted === null ? sealings > 1 : sealings - Number(compacted) >= LATE_SEALINGS_MAX
}

async function copyTables(session: Session, { alias }: HourFile): Promise<void> {
  for (const table of ['sealed', 'names', 'origins', 'series'])
    await session.run(`INSERT INTO rewritten.${table} SELECT * FROM ${alias}.${table}`)
  await session.run(`INSERT INTO rewritten.traces SELECT * FROM ${alias}.traces ORDER BY trace_no`)
  await session.run(`INSERT INTO rewritten.usage SELECT kind, name, sum(uses) FROM ${alias}.usage GROUP BY kind, name`)
  await session.run(`INSERT INTO rewritten.compacted SELECT count(*) FROM ${alias}.sealed`)
  await copySorted(session, alias, 'spans', 'service_no', 'start_ns')
  await copySorted(session, alias, 'logs', 'service_no', 'time_ns')
  await copySorted(session, alias, 'points', 'series_no', 'time_ns')
}

interface Slice {
  first: number
  last: number
  fromNs: bigint
  toNs: bigint
}

async function copySorted(session: Session, alias: string, table: string, group: string, time: string): Promise<void> {
  const groups = await session.rows(
    `SELECT ${group} AS number, count(*) AS rows, min(${time}) AS first_ns, max(${time}) AS last_ns
     FROM ${alias}.${table} GROUP BY ${group} ORDER BY ${group}`,
  )
  const slices = slicesOf(
    groups.map((row) => ({
      number: row['number'] as number,
      rows: Number(row['rows']),
      firstNs: row['first_ns'] as bigint,
      lastNs: row['last_ns'] as bigint,
    })),
  )
  for (const { first, last, fromNs, toNs } of slices)
    await session.run(
      `INSERT INTO rewritten.${table} SELECT * FROM ${alias}.${table}
       WHERE ${group} BETWEEN ${first} AND ${last} AND ${time} >= ${fromNs} AND ${time} < ${toNs}
       ORDER BY ${group}, ${time}`,
    )
}

export interface Group {
  number: number
  rows: number
  firstNs: bigint
  lastNs: bigint
}

/** Consecutive groups together up to the size of a slice; one that is larger alone, cut by time. */
export function slicesOf(groups: Group[]): Slice[] {
  const slices: Slice[] = []
  let together: Group[] = []
  const flush = () => {
    const [first] = together
    const last = together.at(-1)
    if (first && last) slices.push({ first: first.number, last: last.number, fromNs: 0n, toNs: 1n << 62n })
    together = []
  }
  for (const group of groups) {
    const rows = together.reduce((sum, other) => sum + other.rows, group.rows)
    if (rows > ROWS_PER_SLICE) flush()
    if (group.rows > ROWS_PER_SLICE) slices.push(...slicesByTime(group))
    else together.push(group)
  }
  flush()
  return slices
}

function slicesByTime({ number, rows, firstNs, lastNs }: Group): Slice[] {
  const count = BigInt(Math.ceil(rows / ROWS_PER_SLICE))
  const stepNs = (lastNs - firstNs) / count + 1n
  return Array.from({ length: Number(count) }, (_, i) => {
    const fromNs = firstNs + stepNs * BigInt(i)
    return { first: number, last: number, fromNs, toNs: fromNs + stepNs }
  })
}
