import type { Session } from '../engine/session.ts'
import { usageOfLogs } from '../logs/log-usage.ts'
import { inPlace, type SealPlace } from './seal-place.ts'

/** A copy of a log or a point has its time: only that part of the hour is searched for copies. */
function withinTimesOf(table: string): string {
  return `time_ns BETWEEN (SELECT min(time_ns) FROM ${table} WHERE ${inPlace('time_ns')})
    AND (SELECT max(time_ns) FROM ${table} WHERE ${inPlace('time_ns')})`
}

export async function sealLogs(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const logs = `${place.open.alias}.logs`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_logs AS
     SELECT l.rowid AS row, g.service_no, g.origin_no FROM ${logs} l JOIN ${alias}.origins g ON g.origin = l.origin
     WHERE ${inPlace('l.time_ns')} AND l.id NOT IN (SELECT id FROM ${alias}.logs WHERE ${withinTimesOf(logs)})`,
    place.parameters,
  )
  const added = `${logs} l JOIN place_logs k ON k.row = l.rowid`
  await session.run(
    `INSERT INTO ${alias}.templates
     SELECT row_number() OVER () + (SELECT coalesce(max(template_no), 0) FROM ${alias}.templates), template
     FROM (SELECT DISTINCT l.template FROM ${added} WHERE l.template IS NOT NULL)
     WHERE template NOT IN (SELECT template FROM ${alias}.templates)`,
  )
  await session.run(
    `INSERT INTO ${alias}.logs
     SELECT k.service_no, l.time_ns, l.id, l.trace_id, l.span_id, l.observed_ns, l.severity, l.flags, l.dropped,
       k.origin_no, l.severity_text, l.body, l.event_name, l.attributes, t.template_no
     FROM ${added} LEFT JOIN ${alias}.templates t ON t.template = l.template ORDER BY k.service_no, l.time_ns`,
  )
  await session.run(
    usageOfLogs(
      alias,
      `(SELECT k.service_no, k.origin_no, l.severity, l.attributes, l.key_set FROM ${added})`,
      'key_set',
    ),
  )
}

export async function sealPoints(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const points = `${place.open.alias}.points`
  await session.run(
    `INSERT INTO ${alias}.series
     SELECT row_number() OVER () + (SELECT coalesce(max(series_no), 0) FROM ${alias}.series), p.series,
       coalesce(TRY(json_extract_string(p.metric, '/name')), ''), p.metric, g.origin_no, p.attributes
     FROM (SELECT DISTINCT ON (series) * FROM ${points} WHERE ${inPlace('time_ns')}) p
     JOIN ${alias}.origins g ON g.origin = p.origin
     WHERE p.series NOT IN (SELECT series FROM ${alias}.series)`,
    place.parameters,
  )
  await session.run(
    `INSERT INTO ${alias}.points
     SELECT r.series_no, p.time_ns, p.start_ns, p.flags, p.number, p.detail
     FROM ${points} p JOIN ${alias}.series r ON r.series = p.series
     ANTI JOIN (SELECT series_no, time_ns FROM ${alias}.points WHERE ${withinTimesOf(points)}) k
       ON k.series_no = r.series_no AND k.time_ns = p.time_ns
     WHERE ${inPlace('p.time_ns')} ORDER BY r.series_no, p.time_ns`,
    place.parameters,
  )
}
