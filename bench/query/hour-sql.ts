import type { LoadedHour } from './loaded-hour.ts'

/** What a person would ask the hour's file by hand, attached as `hour_0`. */
export interface HourSql {
  span(spanId: string): string
  trace(traceId: string): string
  newestTraces(): string[]
  /** The newest 20 traces that have a span like this, and how many there are. */
  newest(condition: string): string[]
  ofService(name: string): string
  ofUser(user: string): string
  filters(): string
  health(): string
}

const NAMED = `FROM hour_0.spans s JOIN hour_0.traces t USING (trace_no)
  JOIN hour_0.names v ON v.name_no = s.service_no JOIN hour_0.names o ON o.name_no = s.operation_no`

export function hourSql(hour: LoadedHour): HourSql {
  const inRange = `start_ns >= ${hour.startMs}000000 AND start_ns < ${hour.endMs}000000`
  return {
    span: (spanId) =>
      `SELECT * ${NAMED} JOIN hour_0.origins g USING (origin_no) WHERE span_id = ${BigInt(`0x${spanId}`)}`,
    trace: (traceId) =>
      `SELECT s.* EXCLUDE (attributes, events, links), v.name, o.name ${NAMED}
       WHERE trace_no = (SELECT trace_no FROM hour_0.traces WHERE trace_id = '${traceId}'::UUID) ORDER BY start_ns`,
    newestTraces: () => [
      'SELECT trace_id, root_ns FROM hour_0.traces ORDER BY root_ns DESC LIMIT 20',
      'SELECT count(*) FROM hour_0.traces',
    ],
    newest: (condition) => [
      `SELECT trace_no, min(start_ns) AS first_ns FROM hour_0.spans WHERE ${inRange} AND ${condition}
       GROUP BY trace_no ORDER BY first_ns DESC LIMIT 20`,
      `SELECT count(DISTINCT trace_no) FROM hour_0.spans WHERE ${inRange} AND ${condition}`,
    ],
    ofService: (name) => `service_no = (SELECT name_no FROM hour_0.names WHERE name = '${name}')`,
    ofUser: (user) => `json_extract_string(attributes, '/user.id') = '${user}'`,
    filters: () => 'SELECT kind, name, sum(uses) FROM hour_0.usage GROUP BY ALL',
    health: () =>
      `SELECT v.name, count(*), count(*) FILTER (status = 2), avg(duration_ns) FROM hour_0.spans s
       JOIN hour_0.names v ON v.name_no = s.service_no
       WHERE kind IN (2, 5) AND start_ns >= ${hour.endMs - 900_000}000000 GROUP BY ALL`,
  }
}
