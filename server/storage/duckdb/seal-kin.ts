import { linksOf, OPEN_ROLE } from './kinship.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import type { Session } from './session.ts'

/**
 * Fills the tables of `kinship.ts` for a place: its new spans, the sealed spans of the same traces, and what other hours hold of
 * these traces (`foreign_spans`, `foreign_links`).
 */
export async function gatherKin(session: Session, place: SealPlace): Promise<void> {
  const { open, file, parameters } = place
  const { alias } = file
  await session.run(
    `CREATE OR REPLACE TEMP TABLE known_spans AS
     SELECT t.trace_id, s.span_id, s.parent_id, n.name AS service, s.kind, s.role, s.trace_no, s.status, s.start_ns,
       s.duration_ns, s.service_no, s.operation_no, s.origin_no, s.called_no, s.dependency_no
     FROM ${alias}.spans s JOIN (
       SELECT trace_no, trace_id FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM place_ids)) t
       ON t.trace_no = s.trace_no
     JOIN ${alias}.names n ON n.name_no = s.service_no`,
  )
  const own = 'status, start_ns, duration_ns, service_no, operation_no, origin_no, called_no, dependency_no, trace_no'
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_subjects AS
     SELECT s.trace_id, s.span_id, s.parent_id, v.name AS service, s.kind, ${OPEN_ROLE} AS role, ${file.hour} AS hour,
       true AS fresh, s.rowid AS row, s.status, s.start_ns, s.duration_ns, g.service_no, o.name_no AS operation_no, g.origin_no,
       coalesce(c.name_no, 0) AS called_no, coalesce(d.name_no, 0) AS dependency_no, t.trace_no
     FROM ${open.alias}.spans s JOIN place_traces t ON t.trace_id = s.trace_id
     JOIN ${alias}.origins g ON g.origin = s.origin JOIN ${alias}.names v ON v.name_no = g.service_no
     JOIN ${alias}.names o ON o.name = s.operation
     LEFT JOIN ${alias}.names c ON c.name = nullif(s.called, '') LEFT JOIN ${alias}.names d ON d.name = nullif(s.dependency, '')
     ANTI JOIN known_spans k ON k.trace_id = s.trace_id AND k.span_id = s.span_id
     WHERE ${inPlace('s.start_ns')} UNION ALL
     SELECT trace_id, span_id, parent_id, service, kind, role, ${file.hour}, false, NULL, ${own} FROM known_spans`,
    parameters,
  )
  await session.run('CREATE OR REPLACE TEMP TABLE kin_sealed (hour INTEGER, open_no UBIGINT)')
  const rows = `(SELECT s.*, g.service FROM ${open.alias}.spans s
    JOIN (SELECT DISTINCT ON (origin) * FROM ${open.alias}.origins) g USING (origin) WHERE grid = $grid::UUID)`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_relatives AS
     SELECT trace_id, span_id, parent_id, service, kind, ${open.number}::UBIGINT AS open_no FROM ${rows} r
       ANTI JOIN known_spans k ON k.trace_id = r.trace_id AND k.span_id = r.span_id UNION ALL
     SELECT trace_id, span_id, parent_id, service, kind, 0 FROM known_spans UNION ALL
     SELECT trace_id, span_id, parent_id, service, kind, 0 FROM foreign_spans f
       ANTI JOIN ${rows} s ON s.trace_id = f.trace_id AND s.span_id = f.span_id`,
    parameters,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_links AS
     SELECT * FROM (${linksOf(rows, 'service', `${open.number}::UBIGINT`)}) UNION ALL
     SELECT l.trace_id, l.span_id, n.name, 0 FROM ${alias}.message_links l JOIN ${alias}.names n ON n.name_no = l.service_no
     UNION ALL SELECT trace_id, span_id, service, 0 FROM foreign_links`,
    parameters,
  )
}
