import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type MeasuredLoad, measureLoad } from './ingest/measured-load.ts'
import { DEFAULT_LOAD } from './load/load-options.ts'
import { type AskedHour, bareSql, type LogQuestion, logQuestions } from './logs/log-questions.ts'
import { type LogSpeeds, measureLogSpeeds } from './logs/log-speeds.ts'
import { Asker } from './query/ask.ts'
import { NO_ANSWER, repeated, type Timing } from './query/repeated.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atLeast, atMost, type Figure, figure, number, printFigures, printTable } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { untilSealed } from './server/until-sealed.ts'
import { bytesOf, hourFiles, readHours, sealAll } from './store/sealed-hours.ts'

// How fast logs are taken and how long questions about the last hour of them take, beside the bare database.
const HOUR_MS = 3_600_000
const WARM_UP_RECORDS = 250_000
const QUESTION_MS = 6_000

const { values } = parseArgs({
  options: { records: { type: 'string' }, hours: { type: 'string' }, 'raw-seconds': { type: 'string' } },
})
const records = numericOption('records', values.records, 5_000_000)
const hours = numericOption('hours', values.hours, 10)
const rawMs = numericOption('raw-seconds', values['raw-seconds'], 10) * 1000

sayMachine()
const server = await MeasuredServer.create()
try {
  say(`decoding and raw insert, ${rawMs / 1000} s`)
  const folder = join(server.folder, 'raw')
  const speeds = await measureLogSpeeds({ folder, durationMs: rawMs, recordsPerBatch: DEFAULT_LOAD.spansPerBatch })
  await server.start()
  const load = { ...DEFAULT_LOAD, url: server.url, apiKey: server.apiKey, records: 'logs' as const }
  const firstMs = Date.now() - hours * HOUR_MS
  say('warming up')
  const before = { startMs: firstMs - HOUR_MS, endMs: firstMs }
  await measureLoad(server, { ...load, seed: 3, spansMax: WARM_UP_RECORDS, range: before })
  say(`${number(records)} records over ${hours} hours, as fast as the server takes them`)
  const filled = await measureLoad(server, { ...load, spansMax: records, range: { startMs: firstMs } })
  const sealingMs = await untilSealed(server)
  const hour = await lastHour()
  const overHttp = await server.during(askOverHttp(hour))
  await server.stop()
  await sealAll(server.dataFolder)
  const files = hourFiles(server.dataFolder, server.gridId)
  say('the bare SQL')
  const bare = await askBareSql(files.slice(-2), hour)
  printFigures('Taking logs', ingestFigures(speeds, filled, sealingMs, files))
  printAnswers(hour, overHttp, bare)
} finally {
  await server.remove()
}

async function lastHour(): Promise<AskedHour> {
  const endMs = Date.now()
  const asker = new Asker(server)
  const range = { rangeStart: new Date(endMs - HOUR_MS).toISOString(), rangeEnd: new Date(endMs).toISOString() }
  const found = JSON.parse(await asker.send('POST', `logs/${server.gridId}`, { ...range, page: 1000 })) as {
    items: { id: string; spanId: string }[]
    totalCount: number
  }
  await asker.close()
  say(`${number(found.totalCount)} records in the last hour`)
  const [{ id, spanId } = { id: '', spanId: '' }] = found.items
  return { gridId: server.gridId, startMs: endMs - HOUR_MS, endMs, logId: id, spanId }
}

async function askOverHttp(hour: AskedHour): Promise<Timing[]> {
  const asker = new Asker(server)
  const timings: Timing[] = []
  for (const { name, method, path, body } of logQuestions(hour)) {
    const timing = await repeated(() => asker.send(method, path, body), { withinMs: QUESTION_MS })
    say(`over HTTP: ${name}, ${number(timing.medianMs)} ms`)
    timings.push(timing)
  }
  await asker.close()
  return timings
}

async function askBareSql(files: string[], hour: AskedHour): Promise<Timing[]> {
  return await readHours(files, async (session) => {
    const ask = async ({ condition }: LogQuestion): Promise<Timing> => {
      if (condition === undefined) return NO_ANSWER
      const statements = bareSql(condition, files.length, hour)
      return await repeated(
        async () => {
          for (const sql of statements) await session.rows(sql)
        },
        { withinMs: QUESTION_MS / 2 },
      )
    }
    const timings: Timing[] = []
    for (const question of logQuestions(hour)) timings.push(await ask(question))
    return timings
  })
}

function ingestFigures(speeds: LogSpeeds, filled: MeasuredLoad, sealingMs: number, files: string[]): Figure[] {
  return [
    figure('decoding alone, templates included', speeds.decodedPerSecond, 'records/s'),
    figure('raw insert', speeds.rawPerSecond, 'records/s'),
    atLeast('acknowledged, end to end', filled.spansPerSecond, 50_000, 'records/s'),
    figure('  of the raw insert', filled.spansPerSecond / speeds.rawPerSecond, '×'),
    figure('server CPU a record', filled.serverCpuUsPerSpan, 'µs'),
    figure('sealing what was left', sealingMs / 1000, 's'),
    figure('bytes a record on the wire', filled.bytesPerSpan, 'B'),
    figure('bytes a record on disk', bytesOf(files) / (records + WARM_UP_RECORDS), 'B'),
    atMost('server memory, max', filled.serverRssMaxMb, 1000, 'MB'),
    figure('refusals (429, 503)', filled.refusals, ''),
    ...filled.unexpectedAnswers.map((answer) => ({ name: 'unexpected answer', value: answer })),
  ]
}

function printAnswers(hour: AskedHour, overHttp: Timing[], bare: Timing[]): void {
  const rows = logQuestions(hour).map(({ name, targetMs }, i) => {
    const { medianMs, p99Ms, count } = overHttp[i] ?? NO_ANSWER
    const target = targetMs === undefined ? '' : `< ${targetMs}`
    const verdict = targetMs === undefined ? '' : medianMs < targetMs ? 'met' : 'MISSED'
    const bareMs = number((bare[i] ?? NO_ANSWER).medianMs)
    return [name, number(medianMs), target, verdict, number(p99Ms), String(count), bareMs]
  })
  const head = ['milliseconds', 'median', 'target', '', 'p99', 'times', 'bare SQL median']
  printTable(`Questions about the last hour of ${number(records)} records`, head, rows)
}
