import { closeSync, openSync, writeSync } from 'node:fs'
import type { LoadOptions } from './load-options.ts'
import type { LoadReport } from './load-report.ts'
import { Sender } from './sender.ts'
import { SpanGenerator } from './span-generator.ts'
import { SpanSample } from './span-sample.ts'
import { windowTimes } from './window-times.ts'

const SAMPLE_SIZE = 2_000

/** What the parent may tell this process. */
export type LoadCommand = 'stop' | 'give up'
export type LoadMessage = { acknowledgedSpans: number } | { report: LoadReport }

// A process of its own, so that the load costs the server nothing but the processor time they share.
const options = JSON.parse(process.argv[2] ?? '') as LoadOptions
const generator = new SpanGenerator({ ...options, timeOf: windowTimes(options) })
const journal = options.journal === undefined ? undefined : openSync(options.journal, 'a')
const sample = new SpanSample(SAMPLE_SIZE)
const sender = new Sender(options, generator, {
  acknowledged(batch) {
    if (journal !== undefined) writeSync(journal, batch.ids())
    sample.offer(() => batch.ids())
  },
})

process.on('message', (command: LoadCommand) => (command === 'stop' ? sender.stop() : sender.giveUp()))
process.on('disconnect', () => process.exit(1))
const progress = setInterval(() => tell({ acknowledgedSpans: sender.watch.acknowledgedSpans }), 200)

const startedMs = performance.now()
const cpuBefore = process.cpuUsage()
await sender.run()
const seconds = (performance.now() - startedMs) / 1000
const cpu = process.cpuUsage(cpuBefore)
clearInterval(progress)
if (journal !== undefined) closeSync(journal)
const { acknowledgedSpans } = sender.watch
tell({
  report: {
    acknowledgedSpans,
    seconds,
    ...sender.watch.figures,
    refusals: sender.refusals,
    brokenRequests: sender.brokenRequests,
    unexpectedAnswers: sender.unexpectedAnswers,
    cpuUsPerSpan: (cpu.user + cpu.system) / Math.max(1, acknowledgedSpans),
    bytesPerSpan: generator.bytesPerSpan,
    services: generator.services,
    sample: sample.chosen,
  },
})

function tell(message: LoadMessage): void {
  process.send?.(message)
}
