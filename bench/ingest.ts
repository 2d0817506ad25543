import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type MeasuredLoad, measureLoad } from './ingest/measured-load.ts'
import { measureStoreSpeeds, type StoreSpeeds } from './ingest/store-speeds.ts'
import { DEFAULT_LOAD } from './load/load-options.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atLeast, atMost, type Figure, figure, printFigures } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { untilSealed } from './server/until-sealed.ts'
import { bytesOf, compactAll, countSpans, hourFiles, sealAll } from './store/sealed-hours.ts'

// How fast spans are taken, beside how fast the database takes rows.
const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    'warm-seconds': { type: 'string' },
    'steady-seconds': { type: 'string' },
    'steady-rate': { type: 'string' },
    'batch-spans': { type: 'string' },
    connections: { type: 'string' },
    'server-node-option': { type: 'string', multiple: true },
  },
})
const durationMs = numericOption('seconds', values.seconds, 15) * 1000
// Until the server's own code is compiled, a third of a processor goes to the compiler.
const warmMs = numericOption('warm-seconds', values['warm-seconds'], 10) * 1000
const steadyMs = numericOption('steady-seconds', values['steady-seconds'], 20) * 1000
const steadyRate = numericOption('steady-rate', values['steady-rate'], 20_000)
const spansPerBatch = numericOption('batch-spans', values['batch-spans'], DEFAULT_LOAD.spansPerBatch)
const connections = numericOption('connections', values.connections, DEFAULT_LOAD.connections)

sayMachine()
const server = await MeasuredServer.create({ nodeArguments: values['server-node-option'] ?? [] })
try {
  say(`the store by itself, ${durationMs / 1000} s for each of its speeds`)
  const speeds = await measureStoreSpeeds({ folder: join(server.folder, 'raw'), durationMs, spansPerBatch })
  await server.start()
  const load = { ...DEFAULT_LOAD, url: server.url, apiKey: server.apiKey, spansPerBatch, connections }
  say(`warming up, ${warmMs / 1000} s`)
  const warm = await measureLoad(server, { ...load, seed: 3, durationMs: warmMs })
  say(`as fast as the server takes spans, ${durationMs / 1000} s`)
  const fastest = await measureLoad(server, { ...load, durationMs })
  const sealingMs = await untilSealed(server)
  say(`${steadyRate} spans a second, ${steadyMs / 1000} s`)
  const steady = await measureLoad(server, { ...load, seed: 2, spansPerSecond: steadyRate, durationMs: steadyMs })
  await server.stop()
  say('sealing')
  await sealAll(server.dataFolder)
  const sealedBytes = bytesOf(hourFiles(server.dataFolder, server.gridId))
  say('compacting')
  await compactAll(server.dataFolder)
  const files = hourFiles(server.dataFolder, server.gridId)
  const spans = await countSpans(files)
  const acknowledged = [warm, fastest, steady].reduce((sum, load) => sum + load.acknowledgedSpans, 0)
  printFigures('As fast as possible', [
    ...fastestFigures(speeds, fastest),
    figure('sealing what was left', sealingMs / 1000, 's'),
  ])
  printFigures(`Steady ${steadyRate} spans/s`, steadyFigures(steady))
  printFigures('On disk', [
    figure('bytes a span in an hour that is not over', sealedBytes / spans, 'B'),
    atMost('bytes a span in a closed hour', bytesOf(files) / spans, 90, 'B'),
    atMost('acknowledged but not stored', acknowledged - spans, 0, 'spans'),
  ])
} finally {
  await server.remove()
}

function fastestFigures(speeds: StoreSpeeds, fastest: MeasuredLoad): Figure[] {
  return [
    figure('decoding alone', speeds.decodedSpansPerSecond, 'spans/s'),
    figure('store alone (duplicates, sealing)', speeds.storeSpansPerSecond, 'spans/s'),
    figure('raw insert', speeds.rawSpansPerSecond, 'spans/s'),
    atLeast('acknowledged, end to end', fastest.spansPerSecond, 60_000, 'spans/s'),
    atLeast('  of the raw insert', fastest.spansPerSecond / speeds.rawSpansPerSecond, 0.4, '×'),
    figure('acknowledged after, p50', fastest.latencyMs.p50, 'ms'),
    ...costOf(fastest),
  ]
}

function steadyFigures(steady: MeasuredLoad): Figure[] {
  return [
    figure('acknowledged', steady.spansPerSecond, 'spans/s'),
    figure('acknowledged after, p50', steady.latencyMs.p50, 'ms'),
    atMost('acknowledged after, p99', steady.latencyMs.p99, 1000, 'ms'),
    figure('acknowledged after, max', steady.latencyMs.max, 'ms'),
    atMost('longest stall', steady.longestStallMs, 2000, 'ms'),
    ...costOf(steady),
  ]
}

function costOf(load: MeasuredLoad): Figure[] {
  const perSpan = (cpuUs: number) => (cpuUs / load.acknowledgedSpans).toFixed(1)
  const others = load.threads.others.slice(0, 4).map(perSpan).join(' + ')
  return [
    figure('server CPU a span', load.serverCpuUsPerSpan, 'µs'),
    { name: '  main thread, busiest others', value: `${perSpan(load.threads.main)}, ${others} … µs` },
    figure('load generator CPU a span', load.cpuUsPerSpan, 'µs'),
    atMost('server memory, max', load.serverRssMaxMb, 1000, 'MB'),
    figure('refusals (429, 503)', load.refusals, ''),
    ...load.unexpectedAnswers.map((answer) => ({ name: 'unexpected answer', value: answer })),
  ]
}
