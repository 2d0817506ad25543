import type { Asker } from '../query/ask.ts'
import { repeated, type Timing } from '../query/repeated.ts'

/** Hours before now. */
export const RANGES = { 'the last hour': 1, 'a day': 24, 'a week': 168 }

export const CHARTS = [
  { title: 'throughput', metrics: ['throughput'] },
  { title: 'error rate by service', metrics: ['error_rate'], groupBy: 'service.name' },
  { title: 'percentiles', metrics: ['latency_p50', 'latency_p95', 'latency_p99'] },
  { title: 'p95 by service', metrics: ['latency_p95'], groupBy: 'service.name' },
]

export interface AskedChart {
  title: string
  series: number
  firstMs: number
  data: Timing
  picture: Timing
}

const MS_PER_HOUR = 3_600_000

/** Asks for each chart again and again: up to now, so that no two windows are the same. */
export async function askCharts(
  asker: Asker,
  gridId: string,
  charts: typeof CHARTS,
  rangeHours: number,
): Promise<AskedChart[]> {
  const asked: AskedChart[] = []
  for (const chart of charts) {
    const { id } = JSON.parse(await asker.send('POST', `charts/${gridId}/charts`, chart)) as { id: string }
    const path = `charts/${gridId}/charts/${id}`
    const query = () => `rangeStart=${new Date(Date.now() - rangeHours * MS_PER_HOUR).toISOString()}`
    const beganMs = performance.now()
    const answer = JSON.parse(await asker.send('GET', `${path}/range-data?${query()}`)) as { series: unknown[] }
    const firstMs = performance.now() - beganMs
    asked.push({
      title: chart.title,
      firstMs,
      series: answer.series.length,
      data: await repeated(() => asker.send('GET', `${path}/range-data?${query()}`), { repetitions: 20 }),
      picture: await repeated(() => asker.send('GET', `${path}/render?${query()}`), { repetitions: 20 }),
    })
  }
  return asked
}
