import {
  type ChartSettings,
  isChartMetric,
  isRequestMetric,
  type RequestMetric,
  unitOfChartMetric,
} from '../domain/chart.ts'
import type { TimeWindow } from '../domain/time-window.ts'
import type { ChartReader, MetricTraits, StepQuestion } from '../storage/chart-reader.ts'
import { attributeName } from './attribute-names.ts'
import { requestValues } from './request-values.ts'
import { NS_PER_MINUTE, secondsOfStep, stepMinutesOf } from './steps.ts'
import { readingOf, type StoredMetric, shownReading, storedMetricOf, unitOfReading } from './stored-metric.ts'

export interface ChartPoint {
  atNs: bigint
  value: number
}

export interface ChartSeries {
  label: string
  unit: string
  /** Ascending. A step without data has none. */
  points: ChartPoint[]
}

export interface ChartData {
  unit: string
  /** How far points are apart that have no gap between them. */
  stepNs: bigint
  series: ChartSeries[]
}

/** A chart with more lines cannot be read, and shows the greatest. */
const SERIES_MAX = 100

/** One metric in one group of its records. */
interface GroupSeries {
  metric: string
  group: string
  unit: string
  points: ChartPoint[]
}

/** A stored metric that has points in the window. */
interface KnownMetric {
  metric: string
  stored: StoredMetric
  traits: MetricTraits
}

/** What a chart shows of a window. */
export async function chartData(
  reader: ChartReader,
  chart: ChartSettings,
  window: TimeWindow,
  nowNs: bigint,
): Promise<ChartData> {
  const known = await knownMetrics(reader, chart.metrics, window)
  const stepMinutes = stepMinutesOf(window, chart.chartType, minutesBetween(known))
  const asked: Asked = { question: questionOf(chart, window, stepMinutes), nowNs }
  const requestMetrics = chart.metrics.filter(isRequestMetric)
  const found = await Promise.all([
    requestMetrics.length > 0 ? requestSeries(reader, requestMetrics, asked) : [],
    chart.metrics.includes('log_count') ? logSeries(reader, asked) : [],
    ...known.map((metric) => storedSeries(reader, metric, asked)),
  ])
  const unit = chart.unit ?? unitOf(chart, known)
  return {
    unit,
    stepNs: BigInt(stepMinutes) * NS_PER_MINUTE,
    series: ordered(found.flat(), chart.metrics).map((each) => labelled(each, chart, unit)),
  }
}

/** What the values of each chart are counted in; of stored metrics as of their points in the window. */
export async function unitsOf(reader: ChartReader, charts: ChartSettings[], window: TimeWindow): Promise<string[]> {
  return await Promise.all(
    charts.map(
      async (chart) => chart.unit ?? unitOf(chart, await knownMetrics(reader, chart.metrics.slice(0, 1), window)),
    ),
  )
}

async function knownMetrics(reader: ChartReader, metrics: string[], window: TimeWindow): Promise<KnownMetric[]> {
  const stored = metrics.filter((metric) => !isChartMetric(metric))
  const found = await Promise.all(
    stored.map(async (metric): Promise<KnownMetric[]> => {
      const named = storedMetricOf(metric)
      const traits = await reader.metricTraits(named.name, window)
      return traits ? [{ metric, stored: named, traits }] : []
    }),
  )
  return found.flat()
}

/** Points come a little early or late: in steps of twice their distance none is without one by chance. */
function minutesBetween(known: KnownMetric[]): number {
  return Math.max(1, ...known.map(({ traits }) => (2 * Number(traits.intervalNs)) / Number(NS_PER_MINUTE) - 0.5))
}

function unitOf({ metrics: [first = ''] }: ChartSettings, known: KnownMetric[]): string {
  if (isChartMetric(first)) return unitOfChartMetric(first)
  const own = known.find(({ metric }) => metric === first)
  const reading = own && readingOf(own.stored, own.traits)
  return reading ? unitOfReading(reading, own.traits) : ''
}

interface Asked {
  question: StepQuestion
  nowNs: bigint
}

function questionOf(
  { serviceName, filter, groupBy }: ChartSettings,
  window: TimeWindow,
  stepMinutes: number,
): StepQuestion {
  return {
    window,
    stepMinutes,
    ...(serviceName !== null && { serviceName }),
    filter: Object.fromEntries(Object.entries(filter).map(([key, value]) => [attributeName(key), value])),
    groupBy: attributeName(groupBy),
  }
}

async function requestSeries(
  reader: ChartReader,
  metrics: RequestMetric[],
  { question, nowNs }: Asked,
): Promise<GroupSeries[]> {
  const percentiles = metrics.some((metric) => /^latency_p\d/.test(metric))
  const steps = await reader.requestSteps({ ...question, percentiles })
  return metrics.flatMap((metric) =>
    seriesOf(steps, question, { metric, unit: unitOfChartMetric(metric) }, (step) => {
      const seconds = secondsOfStep(step.stepNs, question.stepMinutes, question.window, nowNs)
      return requestValues[metric](step, seconds)
    }),
  )
}

async function logSeries(reader: ChartReader, { question }: Asked): Promise<GroupSeries[]> {
  const labels = { metric: 'log_count', unit: unitOfChartMetric('log_count') }
  return seriesOf(await reader.logSteps(question), question, labels, ({ recordCount }) => recordCount)
}

async function storedSeries(
  reader: ChartReader,
  { metric, stored, traits }: KnownMetric,
  { question }: Asked,
): Promise<GroupSeries[]> {
  const reading = readingOf(stored, traits)
  if (!reading) return []
  const steps = await reader.metricSteps({ ...question, name: stored.name, reading })
  const labels = { metric, unit: unitOfReading(reading, traits) }
  return seriesOf(steps, question, labels, ({ value }) => shownReading(value, reading, traits))
}

interface AnyStep {
  group: string
  stepNs: bigint
}

/** A step that began before the window stands at the window's start. A value that is none is left out. */
function seriesOf<Step extends AnyStep>(
  steps: Step[],
  { window: { startNs } }: StepQuestion,
  labels: { metric: string; unit: string },
  valueIn: (step: Step) => number | undefined,
): GroupSeries[] {
  const byGroup = new Map<string, GroupSeries>()
  for (const step of steps.toSorted((a, b) => (a.stepNs < b.stepNs ? -1 : 1))) {
    const value = valueIn(step)
    if (value === undefined || !Number.isFinite(value)) continue
    const series = byGroup.get(step.group) ?? { ...labels, group: step.group, points: [] }
    byGroup.set(step.group, series)
    series.points.push({ atNs: step.stepNs < startNs ? startNs : step.stepNs, value })
  }
  return [...byGroup.values()]
}

/** By metric as the chart names them, then those first that one would look at first: the greatest, of apdex the least. */
function ordered(series: GroupSeries[], metrics: string[]): GroupSeries[] {
  const ranked = series.map((each) => ({ each, metric: metrics.indexOf(each.metric), rank: rankOf(each) }))
  ranked.sort((a, b) => b.rank - a.rank || a.metric - b.metric || (a.each.group < b.each.group ? -1 : 1))
  const kept = ranked.slice(0, SERIES_MAX)
  return kept.toSorted((a, b) => a.metric - b.metric).map(({ each }) => each)
}

function rankOf({ metric, points }: GroupSeries): number {
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length
  return metric === 'apdex' ? -mean : mean
}

function labelled({ metric, group, unit, points }: GroupSeries, chart: ChartSettings, chartUnit: string): ChartSeries {
  const shownMetric = unit === chartUnit || unit === '' || chart.unit !== null ? metric : `${metric} (${unit})`
  const shownGroup = group === '' ? '(none)' : group
  if (chart.groupBy === '') return { label: shownMetric, unit, points }
  return { label: chart.metrics.length === 1 ? shownGroup : `${shownGroup} ${shownMetric}`, unit, points }
}
