import type { Static } from 'typebox'
import type { ChartData } from '../charts/chart-data.ts'
import type { Chart, ChartSettings } from '../domain/chart.ts'
import { DASHBOARD_COLUMNS, type Dashboard, type DashboardSettings, placed } from '../domain/dashboard.ts'
import { isoOfNs, type TimeWindow } from '../domain/time-window.ts'
import { Problem } from './problem.ts'
import type * as schemas from './schemas/charts.ts'

/** What was left out of a chart has its default. */
export function chartSettingsOf(body: Static<typeof schemas.newChart>): ChartSettings {
  return {
    title: body.title,
    chartType: body.chartType ?? 'line',
    serviceName: body.serviceName ?? null,
    metrics: metricsOf(body),
    filter: Object.fromEntries(Object.entries(body.filter ?? {}).map(([key, value]) => [key, String(value)])),
    groupBy: body.groupBy ?? '',
    unit: body.unit ?? null,
  }
}

function metricsOf({ metric, metrics }: Static<typeof schemas.newChart>): string[] {
  if (metrics === undefined && metric === undefined)
    throw new Problem('invalid-body', 'metrics is required: a list of metrics.')
  if (metrics !== undefined && metric !== undefined && metrics[0] !== metric)
    throw new Problem('invalid-body', 'metric must be the first of metrics where both are given.')
  return metrics ?? [metric as string]
}

export function chartAnswer(chart: Chart, unit: string): Static<typeof schemas.chart> {
  const { id, title, chartType, serviceName, metrics, filter, groupBy, createdAtMs, updatedAtMs } = chart
  return {
    ...{ id, title, chartType, serviceName },
    metric: metrics[0] ?? '',
    ...{ metrics, filter, groupBy, unit },
    createdAt: isoOfMs(createdAtMs),
    updatedAt: isoOfMs(updatedAtMs),
  }
}

export function rangeDataAnswer(
  { id, title }: Chart,
  { startNs, endNs }: TimeWindow,
  { unit, series }: ChartData,
): Static<typeof schemas.chartRangeData> {
  // Lines have the same times, and writing one out takes longer than finding it.
  const texts = new Map<bigint, string>()
  const textOf = (ns: bigint) => {
    const known = texts.get(ns) ?? isoOfNs(ns)
    texts.set(ns, known)
    return known
  }
  return {
    ...{ chartId: id, title, unit },
    rangeStart: isoOfNs(startNs),
    rangeEnd: isoOfNs(endNs),
    series: series.map(({ label, points }) => ({
      label,
      dataPoints: points.map(({ atNs, value }) => ({ timestamp: textOf(atNs), value })),
    })),
  }
}

export function dashboardSettingsOf(body: Static<typeof schemas.newDashboard>): DashboardSettings {
  const { title, description = '', charts = [] } = body
  for (const [i, { position }] of charts.entries())
    if (position && position.col + position.width > DASHBOARD_COLUMNS)
      throw new Problem('invalid-body', `charts/${i}/position reaches beyond the ${DASHBOARD_COLUMNS} columns.`)
  return { title, description, tiles: placed(charts) }
}

/** `charts` has those of the dashboard, in any order. */
export function dashboardAnswer(dashboard: Dashboard, charts: Chart[]): Static<typeof schemas.dashboard> {
  const byId = new Map(charts.map((chart) => [chart.id, chart]))
  return {
    id: dashboard.id,
    title: dashboard.title,
    description: dashboard.description,
    createdAt: isoOfMs(dashboard.createdAtMs),
    updatedAt: isoOfMs(dashboard.updatedAtMs),
    charts: dashboard.tiles.flatMap(({ chartId, position }) => {
      const chart = byId.get(chartId)
      return chart ? [{ chartId, title: chart.title, chartType: chart.chartType, position }] : []
    }),
  }
}

function isoOfMs(ms: number): string {
  return new Date(ms).toISOString()
}
