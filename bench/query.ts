import { parseArgs } from 'node:util'
import { Asker } from './query/ask.ts'
import { type LoadedHour, loadHour } from './query/loaded-hour.ts'
import { questionsAbout } from './query/questions.ts'
import { NO_ANSWER, repeated, type Timing } from './query/repeated.ts'
import { idsAt, spansUnderLoad } from './query/under-load.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, figure, number, printFigures, printTable } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { usageOf } from './server/process-usage.ts'
import { bytesOf, hourFiles, readHours } from './store/sealed-hours.ts'

// How long answers take over an hour of spans, beside the bare SQL on the same file.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'load-seconds': { type: 'string' }, 'load-rate': { type: 'string' } },
})
const scales = positionals.length > 0 ? positionals : ['1000000', '10000000']
const loadMs = numericOption('load-seconds', values['load-seconds'], 20) * 1000
const loadRate = numericOption('load-rate', values['load-rate'], 20_000)

sayMachine()
for (const scale of scales) await measureScale(numericOption('spans', scale, 0))

async function measureScale(spans: number): Promise<void> {
  const server = await MeasuredServer.create()
  try {
    say(`loading ${number(spans)} spans`)
    await server.start()
    const hour = await loadHour(server, spans)
    const files = hourFiles(server.dataFolder, server.gridId)
    const overHttp = await server.during(askOverHttp(server, hour))
    say(`${loadRate} spans a second for ${loadMs / 1000} s, and questions meanwhile`)
    const underLoad = await server.during(spansUnderLoad(server, hour, loadRate, loadMs))
    const { rssMb } = usageOf(server.pid)
    await server.stop()
    say('the bare SQL')
    const bare = await askBareSql(files.slice(0, 1), hour)
    printAnswers(spans, hour, overHttp, bare)
    printFigures(`While ${number(loadRate)} spans/s come in`, [
      figure('span by id, median', underLoad.spans.medianMs, 'ms'),
      atMost('span by id, p99', underLoad.spans.p99Ms, 250, 'ms'),
      figure('acknowledged', underLoad.load.acknowledgedSpans / underLoad.load.seconds, 'spans/s'),
      figure('server memory afterwards', rssMb, 'MB'),
      atMost('bytes a span on disk', bytesOf(files) / spans, 90, 'B'),
    ])
  } finally {
    await server.remove()
  }
}

async function askOverHttp(server: MeasuredServer, hour: LoadedHour): Promise<Timing[]> {
  const asker = new Asker(server)
  const timings: Timing[] = []
  for (const question of questionsAbout(hour)) {
    // A question that fails is a result too, and must not keep the others from being asked.
    const timing = await repeated((i) => asker.ask(question, idsAt(hour, i))).catch((error: Error) => {
      say(error.message)
      return NO_ANSWER
    })
    say(`over HTTP: ${question.name}, ${number(timing.medianMs)} ms`)
    timings.push(timing)
  }
  await asker.close()
  return timings
}

async function askBareSql(files: string[], hour: LoadedHour): Promise<Timing[]> {
  return await readHours(files, async (session) => {
    const timings: Timing[] = []
    for (const question of questionsAbout(hour))
      timings.push(
        await repeated(async (i) => {
          for (const sql of question.sql(idsAt(hour, i))) await session.rows(sql)
        }),
      )
    return timings
  })
}

function printAnswers(spans: number, hour: LoadedHour, overHttp: Timing[], bare: Timing[]): void {
  const rows = questionsAbout(hour).map(({ name, targetMs }, i) => {
    const { medianMs, p99Ms, count } = overHttp[i] ?? NO_ANSWER
    const target = targetMs === undefined ? '' : `< ${targetMs}`
    const verdict = targetMs === undefined ? '' : medianMs < targetMs ? 'met' : 'MISSED'
    return [
      name,
      number(medianMs),
      target,
      verdict,
      number(p99Ms),
      String(count),
      number((bare[i] ?? NO_ANSWER).medianMs),
    ]
  })
  const head = ['milliseconds', 'median', 'target', '', 'p99', 'times', 'bare SQL median']
  printTable(`Questions over ${number(spans)} spans in an hour`, head, rows)
}
