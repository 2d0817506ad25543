import type { ChartSettings } from './chart.ts'
import type { Position } from './dashboard.ts'

interface StarterChart {
  chart: ChartSettings
  position: Position
}

function chartOf(
  title: string,
  metrics: string[],
  position: Position,
  rest: Partial<ChartSettings> = {},
): StarterChart {
  const plain = { chartType: 'line', serviceName: null, filter: {}, groupBy: '', unit: null } as const
  return { chart: { ...plain, title, metrics, ...rest }, position }
}

/** What every new Grid begins with: what spans alone can tell. */
export const STARTER_DASHBOARD = {
  title: 'Overview',
  description: 'How much is asked of the system, how quickly it answers, and what fails.',
  charts: [
    chartOf('Throughput', ['throughput'], { row: 0, col: 0, width: 6, height: 4 }, { chartType: 'area' }),
    chartOf('Error rate', ['error_rate'], { row: 0, col: 6, width: 6, height: 4 }),
    chartOf('Latency percentiles', ['latency_p50', 'latency_p95', 'latency_p99'], {
      row: 4,
      col: 0,
      width: 6,
      height: 4,
    }),
    chartOf('Apdex', ['apdex'], { row: 4, col: 6, width: 6, height: 4 }),
    chartOf(
      'Top services by errors',
      ['error_rate'],
      { row: 8, col: 0, width: 12, height: 5 },
      { groupBy: 'service.name' },
    ),
  ],
} as const
