import type { MetricPoint, PointValue } from '../../server/domain/metric-point.ts'

/** How many series have the same name: so many hosts. */
export const SERIES_PER_NAME = 100
const SERVICES = 20

/** The last digit tells the sort: five gauges, four counters and a histogram in turn. */
function metricName(no: number): string {
  return `measured.${String(no).padStart(3, '0')}`
}

export const GAUGE = metricName(0)
export const COUNTER = metricName(5)
export const HISTOGRAM = metricName(9)

const NO_RECORDS: PointValue = { count: 0, sum: 0, min: null, max: null, explicitBounds: [], bucketCounts: [0] }

/** A point of every series, at one moment. Their values do not matter. */
export function pointOfEachSeries(series: number, timeNs: bigint): MetricPoint[] {
  return Array.from({ length: series }, (_, i) => {
    const [no, host] = [Math.floor(i / SERIES_PER_NAME), i % SERIES_PER_NAME]
    const type = no % 10 < 5 ? 'gauge' : no % 10 < 9 ? 'sum' : 'histogram'
    const serviceName = `service-${host % SERVICES}`
    return {
      name: metricName(no),
      ...{ description: 'Something that a benchmark measures', unit: type === 'histogram' ? 'ms' : 'By', type },
      temporality: type === 'gauge' ? 'unspecified' : 'cumulative',
      monotonic: type === 'sum',
      ...{ startNs: 0n, timeNs, flags: 0 },
      value: type === 'histogram' ? NO_RECORDS : 1,
      attributes: { state: 'used' },
      serviceName,
      resource: { 'service.name': serviceName, 'host.name': `host-${host}`, 'k8s.namespace.name': 'shop' },
      ...{ scopeName: 'benchmark', scopeVersion: '1.0' },
    }
  })
}

/** Points of all series of an hour file, in its own order: every so many seconds from a moment on. */
export function pointsSql(
  alias: string,
  { fromS, count, everyS, startS }: Record<'fromS' | 'count' | 'everyS' | 'startS', number>,
): string {
  return `CREATE OR REPLACE TABLE ${alias}.points AS
    SELECT series_no, at_s * 1000000000 + (series_no * 7919 + at_s) % 9973 * 1000000 AS time_ns,
      CASE WHEN kind < 5 THEN 0 ELSE ${startS}::BIGINT * 1000000000 END AS start_ns, 0::UINTEGER AS flags,
      CASE WHEN kind < 5 THEN 5e8 + 4e8 * sin(at_s / 7200 + series_no) * abs(sin(at_s * 12.9898 + series_no))
        WHEN kind < 9 THEN total ELSE 0 END::DOUBLE AS number,
      CASE WHEN kind < 9 THEN '' ELSE '{"count":' || list_sum(buckets) || ',"sum":' || list_sum(buckets) * 61.5
        || ',"min":null,"max":null,"explicitBounds":[5,10,25,50,100,250,500,1000],"bucketCounts":' || to_json(buckets) || '}'
        END AS detail
    FROM (SELECT *, list_transform([0.02, 0.05, 0.13, 0.3, 0.25, 0.15, 0.06, 0.03, 0.01],
          lambda share: (total * share)::BIGINT) AS buckets
      FROM (SELECT series_no, kind, at_s, (at_s - ${startS}) * (10 + series_no % 90) // 3 + 1000 AS total
        FROM (SELECT series_no, right(name, 1)::INTEGER AS kind FROM ${alias}.series),
          (SELECT ${fromS} + i * ${everyS} AS at_s FROM range(${count}) moments (i))))
    ORDER BY series_no, time_ns`
}
