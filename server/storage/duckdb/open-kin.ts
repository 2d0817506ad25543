import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'
import { KINSHIP_TABLES, linksOf, OPEN_ROLE, relateCalls, relateRequests } from './kinship.ts'
import type { OpenFile } from './open-file.ts'
import type { HourUnit } from './scope.ts'
import type { Session } from './session.ts'

/** Sealed spans of the same traces are looked for in the nearest hours, as long as their files are no larger than this together. */
const SEARCHED_BYTES_MAX = 300 * 1024 * 1024

const TEMPORARY_TABLES = [...KINSHIP_TABLES, 'fresh_spans', 'fresh_links', 'fresh_ids', 'known_spans', 'kin_services']

/** Services are known by a hash of their names here, and texts are looked up last: most rows need none of them. */
const OWN = 'trace_id, span_id, parent_id, service, kind, status, start_ns, duration_ns, origin, open_no, row'

/** Hours by how near they are to one that has open rows; those come first, and always. */
export function searchedHours(files: HourFiles, gridId: string, openHours: number[]): HourFile[] {
  const distance = ({ hour }: HourFile) => Math.min(...openHours.map((open) => Math.abs(open - hour)))
  let bytes = 0
  return files
    .ofGrid(gridId)
    .filter((file) => !file.isStripped)
    .sort((a, b) => distance(a) - distance(b))
    .filter((file) => {
      bytes += file.diskBytes ?? 0
      return distance(file) === 0 || bytes <= SEARCHED_BYTES_MAX
    })
}

/**
 * Works out what the rows of open files are to each other and to the sealed spans that they shed another light on, in tables
 * that every connection sees: `<name>_requests` and `<name>_calls`. Resolves with the open files that each hour has sealed.
 */
export async function buildOpenKin(
  session: Session,
  gridId: string,
  units: HourUnit[],
  open: OpenFile[],
  name: string,
): Promise<Map<number, Set<number>>> {
  await session.run('BEGIN TRANSACTION')
  try {
    await gatherFresh(session, gridId, units, open)
    await gatherKnown(session, gridId, units, open)
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_subjects AS
     SELECT ${OWN}, ${OPEN_ROLE} AS role, hour, true AS fresh, NULL AS operation, NULL AS called, NULL AS dependency
       FROM fresh_spans WHERE is_subject
     UNION ALL SELECT ${OWN}, role, hour, false, operation, called, dependency FROM known_spans`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_relatives AS
     SELECT trace_id, span_id, parent_id, service, kind, open_no FROM fresh_spans UNION ALL
     SELECT trace_id, span_id, parent_id, service, kind, 0 FROM known_spans k
       ANTI JOIN fresh_spans f ON f.trace_id = k.trace_id AND f.span_id = k.span_id`,
  )
  await relateRequests(session)
  await relateCalls(session)
  await nameRequests(session, open, name)
  await nameCalls(session, open, name)
  const sealed = new Map<number, Set<number>>()
  for (const row of await session.rows('SELECT hour, open_no FROM kin_sealed')) {
    const hour = Number(row['hour'])
    sealed.set(hour, (sealed.get(hour) ?? new Set()).add(Number(row['open_no'])))
  }
  await session.run(TEMPORARY_TABLES.map((table) => `DROP TABLE IF EXISTS temp.${table}`).join('; '))
  return sealed
}

async function nameRequests(session: Session, open: OpenFile[], name: string): Promise<void> {
  const own = 'k.role, v.name AS service, operation, k.origin, k.kind, k.status, k.start_ns, k.duration_ns, n'
  const named = (
    texts: string,
    where: string,
  ) => `SELECT ${own} FROM (SELECT k.* EXCLUDE (operation), ${texts} AS operation
      FROM kin_requests k ${where} AND k.role & 3 <> 0) k JOIN kin_services v USING (service)`
  const parts = open.map(({ alias, number }) =>
    named('s.operation', `JOIN ${alias}.spans s ON s.rowid = k.row WHERE k.fresh AND k.open_no = ${number}`),
  )
  await session.run(
    `CREATE TABLE memory.${name}_requests AS ${[...parts, named('k.operation', 'WHERE NOT k.fresh')].join(' UNION ALL ')}`,
  )
}

async function nameCalls(session: Session, open: OpenFile[], name: string): Promise<void> {
  const named = (
    source: string,
    where: string,
  ) => `SELECT v.name AS service, k.kind, k.status, k.start_ns, k.duration_ns,
      e.name AS callee, ${source}.called, ${source}.dependency, k.answered, k.n
    FROM kin_calls k ${where}`
  const names = 'JOIN kin_services v ON v.service = k.service LEFT JOIN kin_services e ON e.service = k.callee'
  const parts = open.map(({ alias, number }) =>
    named('s', `JOIN ${alias}.spans s ON s.rowid = k.row ${names} WHERE k.fresh AND k.open_no = ${number}`),
  )
  await session.run(
    `CREATE TABLE memory.${name}_calls AS ${[...parts, named('k', `${names} WHERE NOT k.fresh`)].join(' UNION ALL ')}`,
  )
}

/** Every row of the Grid in open files; those that their hour has sealed in the meantime are relatives, but no subjects. */
async function gatherFresh(session: Session, gridId: string, units: HourUnit[], open: OpenFile[]): Promise<void> {
  const numbers = open.map(({ number }) => number).join(', ')
  const none = 'SELECT 0 AS hour, 0::UBIGINT AS open_no WHERE false'
  const sealed = units.flatMap(({ file, hour }) =>
    file ? [`SELECT ${hour}, open_no FROM ${file.alias}.sealed WHERE open_no IN (${numbers})`] : [],
  )
  await session.run(`CREATE OR REPLACE TEMP TABLE kin_sealed AS ${[none, ...sealed].join(' UNION ALL ')}`)
  const services = [
    ...open.map(({ alias }) => `SELECT service AS name FROM ${alias}.origins`),
    ...units.flatMap(({ file }) =>
      file ? [`SELECT n.name FROM ${file.alias}.origins g JOIN ${file.alias}.names n ON n.name_no = g.service_no`] : [],
    ),
  ]
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_services AS
     SELECT DISTINCT hash(name) AS service, name FROM (${services.join(' UNION ALL ')})`,
  )
  const hour = '((start_ns // 3600000000000) - (start_ns < 0 AND start_ns % 3600000000000 <> 0)::INTEGER)::INTEGER'
  const parts = open.map(
    ({ alias, number }) => `SELECT trace_id, span_id, parent_id, g.service, kind, status, start_ns, duration_ns, origin,
        ${number}::UBIGINT AS open_no, s.rowid AS row, receives, ${hour} AS hour
      FROM ${alias}.spans s
      JOIN (SELECT DISTINCT ON (origin) origin, hash(service) AS service FROM ${alias}.origins) g USING (origin)
      WHERE grid = $grid::UUID`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE fresh_spans AS
     SELECT f.*, NOT EXISTS (SELECT 1 FROM kin_sealed k WHERE k.hour = f.hour AND k.open_no = f.open_no) AS is_subject
     FROM (${parts.join(' UNION ALL ')}) f`,
    { grid: gridId },
  )
}

/** The sealed spans of the traces that have rows in open files, or that messages in them came from. */
async function gatherKnown(session: Session, gridId: string, units: HourUnit[], open: OpenFile[]): Promise<void> {
  const fresh = open.map(({ alias, number }) =>
    linksOf(
      `(SELECT s.kind, s.links, g.service FROM ${alias}.spans s
        JOIN (SELECT DISTINCT ON (origin) origin, hash(service) AS service FROM ${alias}.origins) g USING (origin)
        WHERE grid = $grid::UUID AND kind = 5 AND links <> '')`,
      'service',
      `${number}::UBIGINT`,
    ),
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE fresh_links AS SELECT * FROM (${fresh.join(' UNION ALL ')}) WHERE trace_id IS NOT NULL`,
    { grid: gridId },
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE fresh_ids AS SELECT DISTINCT trace_id FROM (
       SELECT trace_id FROM fresh_spans UNION ALL SELECT trace_id FROM fresh_links)`,
  )
  const files = units.flatMap(({ file, hour }) => (file ? [{ alias: file.alias, hour }] : []))
  const empty = `SELECT ${OWN}, ${OPEN_ROLE} AS role, hour, '' AS operation, '' AS called, '' AS dependency
    FROM fresh_spans WHERE false`
  const spans = files.map(
    ({
      alias,
      hour,
    }) => `SELECT t.trace_id, s.span_id, s.parent_id, hash(v.name) AS service, s.kind, s.status, s.start_ns,
         s.duration_ns, g.origin, 0::UBIGINT AS open_no, 0::BIGINT AS row, s.role, ${hour} AS hour, o.name AS operation,
         coalesce(c.name, '') AS called, coalesce(d.name, '') AS dependency
       FROM ${alias}.spans s JOIN (
         SELECT trace_no, trace_id FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM fresh_ids)) t
         ON t.trace_no = s.trace_no
       JOIN ${alias}.origins g ON g.origin_no = s.origin_no JOIN ${alias}.names v ON v.name_no = s.service_no
       JOIN ${alias}.names o ON o.name_no = s.operation_no LEFT JOIN ${alias}.names c ON c.name_no = s.called_no
       LEFT JOIN ${alias}.names d ON d.name_no = s.dependency_no`,
  )
  const links = files.map(
    ({ alias }) => `SELECT l.trace_id, l.span_id, hash(n.name), 0 FROM ${alias}.message_links l
      JOIN ${alias}.names n ON n.name_no = l.service_no WHERE l.trace_id IN (SELECT trace_id FROM fresh_ids)`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE known_spans AS ${[empty, ...spans].join(' UNION ALL ')};
     CREATE OR REPLACE TEMP TABLE kin_links AS ${['SELECT * FROM fresh_links', ...links].join(' UNION ALL ')}`,
  )
}
