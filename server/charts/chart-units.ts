import { type ChartSettings, isChartMetric, unitOfChartMetric } from '../domain/chart.ts'
import type { ChartReader } from '../storage/chart-reader.ts'

/** What the values of each chart are counted in. */
export async function unitsOf(_reader: ChartReader, charts: ChartSettings[], _nowMs: number): Promise<string[]> {
  return charts.map(({ unit, metrics: [first = ''] }) => unit ?? (isChartMetric(first) ? unitOfChartMetric(first) : ''))
}
