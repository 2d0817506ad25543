import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseDayFileName } from '../server/storage/duckdb/layout.ts'
import { COUNTER, GAUGE, HISTOGRAM, SERIES_PER_NAME } from './metrics/made-points.ts'
import type { MadeMonth, MonthOptions, ReadMonth } from './metrics/month-options.ts'
import type { ReadOptions } from './metrics/read-process.ts'
import { Asker } from './query/ask.ts'
import { repeated } from './query/repeated.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, type Figure, figure, number, printFigures, printTable } from './report/table.ts'
import { runCompiled } from './run-compiled.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { bytesOf, hourFiles, telemetryFolder } from './store/sealed-hours.ts'

// How long charts of a month of metrics take, and what rolling up its points costs.
//
// A month of 10,000 series every 15 seconds is 1.7 billion points, more than a benchmark can make. The month here has one point
// of every series an hour, which makes as many cells of an hour as there would be: what a chart of a month is answered from. The
// cells of five minutes are one in twelve. What those of a full month take is reckoned from a few hours that are full.
const HOUR_MS = 3_600_000
const HOURS_PER_MONTH = 720
const ONE_SERIES_MS_MAX = 200
const POINTS_PER_HOUR = 240

const { values } = parseArgs({
  options: { series: { type: 'string' }, hours: { type: 'string' }, 'full-hours': { type: 'string' } },
})
const series = numericOption('series', values.series, 10_000)
const hours = numericOption('hours', values.hours, HOURS_PER_MONTH)
const fullHours = numericOption('full-hours', values['full-hours'], 1)

sayMachine()
const server = await MeasuredServer.create()
try {
  const nowMs = Date.now()
  await server.start()
  const asker = new Asker(server)
  await asker.send('PUT', `grids/${server.gridId}/retention`, { rawDays: 60, aggregateDays: 90 })
  await asker.close()
  await server.stop()
  const { gridId } = server
  const folder = telemetryFolder(server.dataFolder)
  say(`making ${hours} hours of ${number(series)} series, and ${fullHours} full ones`)
  const made = await runCompiled<MadeMonth>('metrics/month-process.js', {
    ...{ folder, gridId, series, hours, fullHours, nowMs },
  } satisfies MonthOptions)
  printFigures('What was made', madeFigures(made))
  say('reading one series from what is rolled up and from points')
  const startMs = (Math.floor(nowMs / HOUR_MS) - hours) * HOUR_MS
  const month = { startMs: startMs + 123_456, endMs: nowMs, rolledStepMinutes: 180, rawStepMinutes: 2 }
  const dayMs = 24 * HOUR_MS
  const fullMs = (Math.floor(startMs / dayMs) - 1) * dayMs
  const full = { startMs: fullMs, endMs: fullMs + fullHours * HOUR_MS, rolledStepMinutes: 5, rawStepMinutes: 1 }
  printRead(`One series of ${hours} hours, without the server`, await read(month))
  printRead(`One series of ${fullHours} full hours`, await read(full))
  await server.start()
  await askOverHttp()
} finally {
  await server.remove()
}

async function read(range: Omit<ReadOptions, 'folder' | 'gridId'>): Promise<ReadMonth[]> {
  const options: ReadOptions = { folder: telemetryFolder(server.dataFolder), gridId: server.gridId, ...range }
  return await runCompiled('metrics/read-process.js', options)
}

function madeFigures({ points, rolledMs, fullHoursRolledMs }: MadeMonth): Figure[] {
  const folder = join(telemetryFolder(server.dataFolder), 'grids', server.gridId)
  const days = readdirSync(folder).filter((name) => parseDayFileName(name)?.kind === 'points')
  const dayBytes = days.sort().map((name) => statSync(join(folder, name)).size)
  const [fullBytes = 0, ...others] = dayBytes
  const full = hourFiles(server.dataFolder, server.gridId).slice(0, fullHours)
  const monthBytes = others.reduce((sum, bytes) => sum + bytes, 0)
  return [
    figure('points', points, ''),
    figure('rolling up an hour of one point a series', rolledMs / hours, 'ms'),
    figure('rolling up a full hour', fullHoursRolledMs / fullHours, 'ms'),
    figure(`rolled up, ${others.length} days of one point an hour`, monthBytes / 1e6, 'MB'),
    figure('points of a full hour', bytesOf(full) / fullHours / 1e6, 'MB'),
    figure('  a point', bytesOf(full) / fullHours / series / POINTS_PER_HOUR, 'B'),
    figure('rolled up, a full hour', fullBytes / fullHours / 1e6, 'MB'),
    figure('  of its points', fullBytes / bytesOf(full), '×'),
    figure('  reckoned for a month of full hours', (fullBytes / fullHours / 1e9) * HOURS_PER_MONTH, 'GB'),
  ]
}

function printRead(title: string, measured: ReadMonth[]): void {
  const rows = measured.map(({ rolledMs, rawMs }, i) => [
    ['average of a gauge', 'rate of a counter', '95th percentile of a histogram'][i] ?? '',
    ...[number(rolledMs), number(rawMs), `${number(rawMs / rolledMs)} ×`],
  ])
  printTable(title, ['milliseconds', 'rolled up, median', 'points, once', 'ratio'], rows)
}

async function askOverHttp(): Promise<void> {
  const asker = new Asker(server)
  const one = { filter: { 'host.name': 'host-42' } }
  const charts = [
    { title: 'one gauge', metrics: [GAUGE], ...one },
    { title: 'one counter', metrics: [COUNTER], ...one },
    { title: 'one histogram', metrics: [HISTOGRAM], ...one },
    { title: `${SERIES_PER_NAME} gauges by host`, metrics: [GAUGE], groupBy: 'host.name' },
    { title: `${SERIES_PER_NAME} histograms`, metrics: [HISTOGRAM] },
  ]
  const figures: Figure[] = []
  for (const chart of charts) {
    const { id } = JSON.parse(await asker.send('POST', `charts/${server.gridId}/charts`, chart)) as { id: string }
    const ask = () => {
      const rangeStart = new Date(Date.now() - hours * HOUR_MS + 60_000).toISOString()
      return asker.send('GET', `charts/${server.gridId}/charts/${id}/range-data?rangeStart=${rangeStart}`)
    }
    const beganMs = performance.now()
    const { series: lines } = JSON.parse(await ask()) as { series: { dataPoints: unknown[] }[] }
    const firstMs = performance.now() - beganMs
    const { medianMs } = await repeated(ask, { repetitions: 20 })
    const title = `${chart.title} (${lines[0]?.dataPoints.length ?? 0} points)`
    figures.push(atMost(title, medianMs, ONE_SERIES_MS_MAX, 'ms'), figure('  asked for the first time', firstMs, 'ms'))
  }
  await asker.close()
  printFigures(`Charts of ${hours} hours over HTTP, median`, figures)
}
