import type { TimeWindow } from '../../domain/time-window.ts'
import { linksOf, OPEN_ROLE } from './kinship.ts'
import { inRanges } from './minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import { openOrigins } from './span-rows-read.ts'

/** What a question wants to know of the spans that are not sealed yet. */
export type OpenKin = 'requests' | 'calls'

const OWN =
  'trace_id, span_id, parent_id, service, kind, status, start_ns, duration_ns, operation, origin, called, dependency'

/**
 * Fills the tables of `kinship.ts` for the rows of open files and for the sealed spans that they shed another light on, as far
 * as they began in the window. Resolves with false where there is nothing to look at.
 */
export async function gatherOpenKin(
  scope: Scope,
  window: TimeWindow,
  day: TimeWindow,
  about: OpenKin,
): Promise<boolean> {
  const units = scope.units.filter((unit) => unit.open.length > 0)
  if (units.length === 0) return false
  await gatherFresh(scope, units)
  await gatherKnown(scope)
  const inWindow = inRanges('start_ns', [window])
  const entries = `(SELECT service FROM fresh_spans WHERE kind IN (2, 5) AND ${inRanges('start_ns', [day])})`
  const wanted = about === 'calls' ? 'kind IN (3, 4)' : `(kind IN (2, 5) OR service NOT IN ${entries})`
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE kin_subjects AS
     SELECT ${OWN}, ${OPEN_ROLE} AS role, hour, true AS fresh FROM fresh_spans WHERE is_subject AND ${inWindow} AND ${wanted}
     UNION ALL SELECT ${OWN}, role, hour, false FROM known_spans WHERE ${inWindow} AND ${wanted}`,
  )
  const related = about === 'calls' ? 'parent_id <> 0' : wanted
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE kin_relatives AS
     SELECT trace_id, span_id, parent_id, service, kind, open_no FROM fresh_spans WHERE ${related} UNION ALL
     SELECT trace_id, span_id, parent_id, service, kind, 0 FROM known_spans k
       ANTI JOIN fresh_spans f ON f.trace_id = k.trace_id AND f.span_id = k.span_id WHERE ${related}`,
  )
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE kin_links AS
     SELECT * FROM (${linksOf('fresh_spans', 'service', 'open_no')}) ${sealedLinks(scope.units)}`,
  )
  return true
}

/** Every row of the Grid in open files; those that their hour has sealed in the meantime are relatives, but no subjects. */
async function gatherFresh(scope: Scope, units: HourUnit[]): Promise<void> {
  const parts = units.flatMap((unit) =>
    unit.open.map((open) => {
      const one = { ...unit, open: [open] }
      const whole = openRows({ ...one, file: undefined }, 'spans') as string
      const isSealed = unit.file
        ? `EXISTS (SELECT 1 FROM ${unit.file.alias}.sealed WHERE open_no = ${open.number})`
        : 'false'
      return `SELECT s.*, g.service, ${unit.hour} AS hour, ${open.number}::UBIGINT AS open_no, NOT ${isSealed} AS is_subject
        FROM (SELECT ${OWN.replace('service, ', '')}, receives, links FROM ${whole}) s
        JOIN ${openOrigins(one)} g USING (origin)`
    }),
  )
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE fresh_spans AS ${parts.join(' UNION ALL ')}`, scope.grid)
  const sealed = scope.units.flatMap(({ file, hour }) =>
    file
      ? [`SELECT ${hour} AS hour, open_no FROM ${file.alias}.sealed WHERE open_no IN (SELECT open_no FROM fresh_spans)`]
      : [],
  )
  const none = 'SELECT 0 AS hour, 0::UBIGINT AS open_no WHERE false'
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE kin_sealed AS ${[none, ...sealed].join(' UNION ALL ')}`)
}

/** The sealed spans of the traces that have rows in open files, or that messages in them came from. */
async function gatherKnown(scope: Scope): Promise<void> {
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE fresh_ids AS SELECT DISTINCT trace_id FROM (
       SELECT trace_id FROM fresh_spans UNION ALL
       SELECT trace_id FROM (${linksOf('fresh_spans', 'service', 'open_no')}) WHERE trace_id IS NOT NULL)`,
  )
  const empty = `SELECT ${OWN}, ${OPEN_ROLE} AS role, hour FROM fresh_spans WHERE false`
  const parts = scope.units.flatMap(({ file, hour }) => {
    if (!file) return []
    const { alias } = file
    return [
      `SELECT t.trace_id, s.span_id, s.parent_id, v.name AS service, s.kind, s.status, s.start_ns, s.duration_ns,
         o.name AS operation, g.origin, coalesce(c.name, '') AS called, coalesce(d.name, '') AS dependency, s.role,
         ${hour} AS hour
       FROM ${alias}.spans s JOIN (
         SELECT trace_no, trace_id FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM fresh_ids)) t
         ON t.trace_no = s.trace_no
       JOIN ${alias}.origins g ON g.origin_no = s.origin_no JOIN ${alias}.names v ON v.name_no = s.service_no
       JOIN ${alias}.names o ON o.name_no = s.operation_no LEFT JOIN ${alias}.names c ON c.name_no = s.called_no
       LEFT JOIN ${alias}.names d ON d.name_no = s.dependency_no`,
    ]
  })
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE known_spans AS ${[empty, ...parts].join(' UNION ALL ')}`)
}

function sealedLinks(units: HourUnit[]): string {
  const parts = units.flatMap(({ file }) =>
    file
      ? [
          `UNION ALL SELECT l.trace_id, l.span_id, n.name, 0 FROM ${file.alias}.message_links l
           JOIN ${file.alias}.names n ON n.name_no = l.service_no WHERE l.trace_id IN (SELECT trace_id FROM fresh_ids)`,
        ]
      : [],
  )
  return parts.join(' ')
}
