import { Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/compare.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { changeText } from './change-text.ts'

type Comparison = Static<typeof schemas.windowComparison>
type Regression = Comparison['regressions'][number]
type Metric = Regression['metric']

interface CompareFlags {
  currentStart: string
  currentEnd: string
  baselineStart: string
  baselineEnd: string
}

/** How people call a metric, and its unit. */
const METRICS: Record<Metric, { name: string; unit: string }> = {
  avgLatencyMs: { name: 'latency average', unit: ' ms' },
  p95LatencyMs: { name: 'latency p95', unit: ' ms' },
  errorRate: { name: 'error rate', unit: ' %' },
  throughputRps: { name: 'throughput', unit: '/s' },
  apdex: { name: 'apdex', unit: '' },
}

interface Row {
  figure: string
  baseline: string
  current: string
  change: string
}

const COLUMNS: Column<Row>[] = [
  { title: 'FIGURE', value: (row) => row.figure },
  { title: 'BASELINE', value: (row) => row.baseline, align: 'right' },
  { title: 'CURRENT', value: (row) => row.current, align: 'right' },
  { title: 'CHANGE', value: (row) => row.change, align: 'right' },
]

const REGRESSION_COLUMNS: Column<Regression>[] = [
  { title: 'WORSE', value: ({ serviceName }) => serviceName },
  { title: 'FIGURE', value: ({ metric }) => METRICS[metric].name },
  { title: 'BASELINE', value: ({ metric, baselineValue }) => withUnit(metric, baselineValue), align: 'right' },
  { title: 'CURRENT', value: ({ metric, currentValue }) => withUnit(metric, currentValue), align: 'right' },
  { title: 'CHANGE', value: ({ changePercent }) => changeText(changePercent), align: 'right' },
]

export const compare: ApiCommand<Comparison, CompareFlags> = {
  usage: 'compare',
  about: 'one time window against another, and what became worse',
  onGrid: true,
  options: [
    windowOption('--current-start', 'the window under comparison begins here'),
    windowOption('--current-end', 'and ends before this'),
    windowOption('--baseline-start', 'the window to compare it with begins here'),
    windowOption('--baseline-end', 'and ends before this'),
  ],
  ask: async ({ client, gridPath, flags: { currentStart, currentEnd, baselineStart, baselineEnd } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/compare`, {
      currentStart,
      currentEnd,
      baselineStart,
      baselineEnd,
    }),
  show({ baseline, current, deltas, regressions }) {
    const rows = (Object.keys(METRICS) as Metric[]).map((metric) => ({
      figure: METRICS[metric].name,
      baseline: withUnit(metric, baseline[metric]),
      current: withUnit(metric, current[metric]),
      change: changeText(deltas[metric].percent),
    }))
    const worse =
      regressions.length === 0 ? 'Nothing became significantly worse.' : formatTable(REGRESSION_COLUMNS, regressions)
    return `baseline ${rangeText(baseline)}\ncurrent  ${rangeText(current)}\n\n${formatTable(COLUMNS, rows)}\n\n${worse}`
  },
}

function windowOption(flag: string, about: string): Option {
  return new Option(`${flag} <datetime>`, `${about} (ISO 8601)`).makeOptionMandatory()
}

function withUnit(metric: Metric, value: number): string {
  return `${value}${METRICS[metric].unit}`
}

function rangeText({ rangeStart, rangeEnd }: Comparison['baseline']): string {
  return `${rangeStart} to ${rangeEnd}`
}
