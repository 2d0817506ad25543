import { parseArgs } from 'node:util'
import { type AskedChart, askCharts, CHARTS, RANGES } from './charts/asked-charts.ts'
import { fillWeeks } from './diagnostics/filled-weeks.ts'
import { Asker } from './query/ask.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, figure, printFigures } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { untilIdle } from './server/until-idle.ts'

/** What a person does not notice as waiting. */
const DATA_MS_MAX = 100
const PICTURE_MS_MAX = 150

// How long it takes to answer and to draw charts of the past: of an hour and a day; of a week with `--hours 168`.
const { values } = parseArgs({ options: { hours: { type: 'string' }, 'spans-per-hour': { type: 'string' } } })
const hours = numericOption('hours', values.hours, 26)
const spansPerHour = numericOption('spans-per-hour', values['spans-per-hour'], 40_960)

sayMachine()
const server = await MeasuredServer.create()
try {
  await server.start()
  await fillWeeks(server, hours, spansPerHour)
  say('waiting until the server has looked through them')
  await untilIdle(server)
  const asker = new Asker(server)
  for (const [title, rangeHours] of Object.entries(RANGES).filter(([, rangeHours]) => rangeHours <= hours)) {
    say(`asking for ${title}`)
    const asked = await askCharts(asker, server.gridId, CHARTS, rangeHours)
    printFigures(`Data of ${title}, asked for the first time`, asked.map(firstFigure))
    printFigures(`Data of ${title}, median`, asked.map(dataFigure))
    printFigures(`Pictures of ${title}, 800×400, median`, asked.map(pictureFigure))
  }
  await asker.close()
} finally {
  await server.remove()
}

function firstFigure({ title, series, firstMs }: AskedChart) {
  return figure(`${title} (${series} lines)`, firstMs, 'ms')
}

function dataFigure({ title, series, data }: AskedChart) {
  return atMost(`${title} (${series} lines)`, data.medianMs, DATA_MS_MAX, 'ms')
}

function pictureFigure({ title, series, picture }: AskedChart) {
  return atMost(`${title} (${series} lines)`, picture.medianMs, PICTURE_MS_MAX, 'ms')
}
