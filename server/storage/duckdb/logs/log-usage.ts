import { keysOf } from '../seal/seal-spans.ts'

/**
 * Notes in an hour file how often each service, severity and attribute key occurs in `logs`, of which the filter options are made.
 * `keySet` is the column that tells sets of keys apart, or NULL.
 */
export function usageOfLogs(alias: string, logs: string, keySet: string): string {
  return `INSERT INTO ${alias}.usage
    SELECT 'log-service', n.name, count(*) FROM ${logs} l JOIN ${alias}.names n ON n.name_no = l.service_no GROUP BY n.name
      UNION ALL
    SELECT 'log-severity', severity::VARCHAR, count(*) FROM ${logs} l GROUP BY severity UNION ALL
    SELECT 'log-key', key, sum(uses) FROM (
      SELECT ${keysOf('attributes')} AS key, uses FROM (
        SELECT any_value(attributes) AS attributes, count(*) AS uses FROM ${logs} l
        GROUP BY coalesce(${keySet}, hash(attributes))) UNION ALL
      SELECT ${keysOf('g.resource')}, uses FROM (
        SELECT origin_no, count(*) AS uses FROM ${logs} l GROUP BY origin_no) JOIN ${alias}.origins g USING (origin_no))
      GROUP BY key`
}
