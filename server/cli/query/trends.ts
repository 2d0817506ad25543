import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/trends.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { changeText } from './change-text.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type Trends = Static<typeof schemas.trends>

interface Row {
  figure: string
  baseline: string
  current: string
  /** Null for figures whose trend nobody judges. */
  change: string | null
  trend: string | null
}

const COLUMNS: Column<Row>[] = [
  { title: 'FIGURE', value: (row) => row.figure },
  { title: 'BEFORE', value: (row) => row.baseline, align: 'right' },
  { title: 'NOW', value: (row) => row.current, align: 'right' },
  { title: 'CHANGE', value: (row) => row.change, align: 'right' },
  { title: 'TREND', value: (row) => row.trend },
]

export const trends: ApiCommand<Trends, MomentFlags> = {
  usage: 'trends',
  about: 'how latency, errors and throughput compare with the hour before',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/trends`, { at, window }),
  show: (answer) => formatTable(COLUMNS, rowsOf(answer)),
}

function rowsOf({ latency, errorRate, throughput }: Trends): Row[] {
  const percentiles = (['p50', 'p95', 'p99'] as const).map((percentile) => ({
    figure: `latency ${percentile}`,
    baseline: `${latency.baseline[percentile]} ms`,
    current: `${latency.current[percentile]} ms`,
    ...(percentile === 'p95' ? judged(latency) : { change: null, trend: null }),
  }))
  return [
    ...percentiles,
    {
      figure: 'error rate',
      baseline: `${errorRate.baseline} %`,
      current: `${errorRate.current} %`,
      ...judged(errorRate),
    },
    {
      figure: 'throughput',
      baseline: `${throughput.baselineRps}/s`,
      current: `${throughput.currentRps}/s`,
      ...judged(throughput),
    },
  ]
}

function judged({ changePercent, trend }: { changePercent: number; trend: string }) {
  return { change: changeText(changePercent), trend }
}
