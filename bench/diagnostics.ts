import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { aggregateBytes, bytesFigures } from './diagnostics/aggregate-bytes.ts'
import { type AggregateCost, measureAggregateCost } from './diagnostics/aggregate-cost.ts'
import { printScales, type Scale } from './diagnostics/answer-tables.ts'
import { askUnderLoad } from './diagnostics/ask-under-load.ts'
import { comparisonOfWeeks, endpointsOfDay, endpointsOfNow } from './diagnostics/endpoints.ts'
import { fillWeeks } from './diagnostics/filled-weeks.ts'
import { loadMinutes } from './diagnostics/loaded-minutes.ts'
import { measureLoad } from './ingest/measured-load.ts'
import { DEFAULT_LOAD } from './load/load-options.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, type Figure, figure, number, printFigures } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { compactAll, hourFiles, requestDays } from './store/sealed-hours.ts'

const PARTS = ['endpoints', 'week', 'cost']
const AGGREGATES_MB_PER_DAY_MAX = 100
const AGGREGATES_SHARE_MAX = 25
const OPEN_FILES_SEALED = 6

// How long Diagnostics takes to answer while spans come in, and what its aggregates cost.
const { values } = parseArgs({
  options: {
    spans: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    'load-rate': { type: 'string' },
    hours: { type: 'string' },
    'spans-per-hour': { type: 'string' },
    only: { type: 'string', multiple: true },
  },
})
const only = values.only ?? PARTS
const unknown = only.find((part) => !PARTS.includes(part))
if (unknown !== undefined) throw new Error(`--only is "${unknown}": it must be one of ${PARTS.join(', ')}`)
const scales = (values.spans ?? ['1000000', '10000000']).map((spans) => numericOption('spans', spans, 0))
const whileAsked = {
  durationMs: numericOption('seconds', values.seconds, 60) * 1000,
  spansPerSecond: numericOption('load-rate', values['load-rate'], 10_000),
}
const hours = numericOption('hours', values.hours, 14 * 24)
const spansPerHour = numericOption('spans-per-hour', values['spans-per-hour'], 8_192)

sayMachine()
if (only.includes('endpoints')) await measureEndpoints()
if (only.includes('week')) await measureWeeks()
if (only.includes('cost')) await measureCost()

async function measureEndpoints(): Promise<void> {
  const now: Scale[] = []
  const day: Scale[] = []
  const figures: Figure[] = []
  for (const spans of scales)
    await withServer(async (server) => {
      await loadMinutes(server, spans)
      say(`asking while ${number(whileAsked.spansPerSecond)} spans a second come in`)
      const { answered, load, unsealedRowsMax } = await askUnderLoad(
        server,
        [endpointsOfNow(), endpointsOfDay()],
        whileAsked,
      )
      now.push({ spans, answered: answered[0] ?? [] })
      day.push({ spans, answered: answered[1] ?? [] })
      await server.stop()
      say('compacting')
      await compactAll(server.dataFolder)
      const bytes = await aggregateBytes(
        hourFiles(server.dataFolder, server.gridId),
        requestDays(server.dataFolder, server.gridId),
      )
      figures.push(
        figure(`${number(spans)} spans: came in while asked`, load.acknowledgedSpans / load.seconds, 'spans/s'),
        figure('unsealed rows, max', unsealedRowsMax, ''),
        atMost('aggregates of a day', bytes.totalMb, AGGREGATES_MB_PER_DAY_MAX, 'MB'),
        ...bytesFigures(bytes),
      )
    })
  const meanwhile = `while ${number(whileAsked.spansPerSecond)} spans/s come in`
  printScales(`The last 75 minutes, ${meanwhile}`, now)
  printScales(`Windows of a day, ${meanwhile}`, day)
  printFigures('Load and disk', figures)
}

async function measureWeeks(): Promise<void> {
  await withServer(async (server) => {
    await fillWeeks(server, hours, spansPerHour)
    say(`asking while ${number(whileAsked.spansPerSecond)} spans a second come in`)
    const lists = [[...endpointsOfDay(), comparisonOfWeeks()], endpointsOfNow()]
    const { answered } = await askUnderLoad(server, lists, whileAsked)
    const files = hourFiles(server.dataFolder, server.gridId).length
    printScales(`${files} hour files of ${number(spansPerHour)} spans`, [
      { spans: hours * spansPerHour, answered: answered.flat() },
    ])
  })
}

async function measureCost(): Promise<void> {
  await withServer(async (server) => {
    say('sealing file by file')
    const folder = join(server.folder, 'cost')
    const cost = await measureAggregateCost({ folder, gridId: server.gridId, openFiles: OPEN_FILES_SEALED })
    say(`${number(whileAsked.spansPerSecond)} spans a second over HTTP`)
    const { durationMs, spansPerSecond } = whileAsked
    const load = { ...DEFAULT_LOAD, url: server.url, apiKey: server.apiKey, durationMs, spansPerSecond }
    const { serverCpuUsPerSpan } = await measureLoad(server, load)
    printFigures('Processor time a span', costFigures(cost, serverCpuUsPerSpan))
  })
}

function costFigures(cost: AggregateCost, serverCpuUsPerSpan: number): Figure[] {
  const { decodingUs, writingUs, sealingUs, aggregatesUs, statements } = cost
  const share = (of: number) => (aggregatesUs / of) * 100
  return [
    figure('decoding', decodingUs, 'µs'),
    figure('writing', writingUs, 'µs'),
    figure('sealing without aggregates', sealingUs - aggregatesUs, 'µs'),
    figure('aggregates', aggregatesUs, 'µs'),
    ...statements.map(({ name, us }) => figure(`  ${name}`, us, 'µs')),
    figure('server, over HTTP', serverCpuUsPerSpan, 'µs'),
    atMost('aggregates, of the server over HTTP', share(serverCpuUsPerSpan), AGGREGATES_SHARE_MAX, '%'),
    figure('aggregates, of decoding, writing and sealing', share(decodingUs + writingUs + sealingUs), '%'),
  ]
}

async function withServer(measure: (server: MeasuredServer) => Promise<void>): Promise<void> {
  const server = await MeasuredServer.create()
  try {
    await server.start()
    await measure(server)
  } finally {
    await server.remove()
  }
}
