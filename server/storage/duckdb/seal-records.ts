import { inPlace, type SealPlace } from './seal-place.ts'
import type { Session } from './session.ts'

/** A copy of a log or a point has its time: only that part of the hour is searched for copies. */
function withinTimesOf(table: string): string {
  return `time_ns BETWEEN (SELECT min(time_ns) FROM ${table} WHERE ${inPlace('time_ns')})
    AND (SELECT max(time_ns) FROM ${table} WHERE ${inPlace('time_ns')})`
}

export async function sealLogs(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const source = `${place.open.alias}.logs l JOIN ${alias}.origins g ON g.origin = l.origin`
  await session.run(
    `INSERT INTO ${alias}.logs
     SELECT g.service_no, l.time_ns, l.id, l.trace_id, l.span_id, l.observed_ns, l.severity, l.flags, l.dropped,
       g.origin_no, l.severity_text, l.body, l.event_name, l.attributes
     FROM ${source} WHERE ${inPlace('l.time_ns')}
       AND l.id NOT IN (SELECT id FROM ${alias}.logs WHERE ${withinTimesOf(`${place.open.alias}.logs`)})
     ORDER BY g.service_no, l.time_ns`,
    place.parameters,
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
