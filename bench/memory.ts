import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { fillWeek } from './memory/fill-week.ts'
import { loadSlowedStore, type SlowedStore } from './memory/slowed-store.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, type Figure, figure, printFigures } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { usageOf } from './server/process-usage.ts'
import { hourFiles, telemetryFolder } from './store/sealed-hours.ts'

/** Retention keeps seven days: the oldest hour of them would be removed while we look. */
const HOURS_OF_A_WEEK = 167

// How much memory the server needs where there is nothing to do, and where there is too much; and how soon it is there again.
const { values } = parseArgs({
  options: {
    'idle-seconds': { type: 'string' },
    'slow-seconds': { type: 'string' },
    'spans-per-hour': { type: 'string' },
  },
})
const idleMs = numericOption('idle-seconds', values['idle-seconds'], 60) * 1000
const slowMs = numericOption('slow-seconds', values['slow-seconds'], 40) * 1000
const spansPerHour = numericOption('spans-per-hour', values['spans-per-hour'], 4_096)

sayMachine()
const server = await MeasuredServer.create()
try {
  const figures = [...(await idleFigures()), ...(await weekFigures())]
  say(`a slowed store for ${slowMs / 1000} s`)
  const slowed = await loadSlowedStore(server, slowMs)
  printFigures('Starting and waiting', figures)
  printFigures('A store that hardly runs, and as many spans as can be sent', slowFigures(slowed))
} finally {
  await server.remove()
}

async function idleFigures(): Promise<Figure[]> {
  say(`idle for ${idleMs / 1000} s`)
  const readyMs = await server.start()
  await delay(idleMs)
  const { rssMb } = usageOf(server.pid)
  await server.stop()
  return [
    figure('first start', readyMs, 'ms'),
    atMost(`memory ${idleMs / 1000} s after the first start`, rssMb, 200, 'MB'),
  ]
}

async function weekFigures(): Promise<Figure[]> {
  say('writing a week of files')
  const { dataFolder, gridId } = server
  await fillWeek({ folder: telemetryFolder(dataFolder), gridId, hours: HOURS_OF_A_WEEK, spansPerHour })
  await server.start()
  await server.stop()
  const readyMs = await server.start()
  const files = hourFiles(dataFolder, gridId).length
  return [
    atMost(`start with ${files} files after a clean stop`, readyMs, 2_000, 'ms'),
    figure('memory right after it', usageOf(server.pid).rssMb, 'MB'),
  ]
}

function slowFigures({ rssMb, load }: SlowedStore): Figure[] {
  const half = Math.floor(rssMb.length / 2)
  const firstMb = Math.max(...rssMb.slice(0, half))
  const secondMb = Math.max(...rssMb.slice(half))
  return [
    figure('acknowledged', load.acknowledgedSpans / load.seconds, 'spans/s'),
    figure('refusals (429, 503)', load.refusals, ''),
    figure('memory, max of the first half', firstMb, 'MB'),
    atMost('memory, max of the second half', secondMb, firstMb * 1.1, 'MB'),
    atMost('memory, max', Math.max(firstMb, secondMb), 1_000, 'MB'),
    ...load.unexpectedAnswers.map((value): Figure => ({ name: 'unexpected answer', value })),
  ]
}
