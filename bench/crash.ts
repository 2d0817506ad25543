import { parseArgs } from 'node:util'
import { type CrashRound, crashRounds } from './crash/crash-rounds.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, type Figure, figure, number, printFigures, printTable } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'

// Whether a server that is killed at random moments keeps what it acknowledged.
const { values } = parseArgs({
  options: { rounds: { type: 'string' }, rate: { type: 'string' }, seed: { type: 'string' } },
})
const rounds = numericOption('rounds', values.rounds, 10)
const spansPerSecond = numericOption('rate', values.rate, 20_000)
const seed = numericOption('seed', values.seed, 1)

sayMachine()
const server = await MeasuredServer.create()
try {
  const aliveMs = { min: 500, max: 8_000 }
  const report = await crashRounds(server, { rounds, spansPerSecond, seed, aliveMs }, sayRound)
  const { comparison, load } = report
  printTable(
    `kill -9 under ${number(spansPerSecond)} spans/s`,
    ['round', 'killed after (ms)', 'acknowledged by then', 'ready again (ms)', 'last ones unanswered'],
    report.rounds.map((round, i) => [`${i + 1}`, ...cellsOf(round)]),
  )
  printFigures('In the end', [
    figure('acknowledged', comparison.acknowledged, 'spans'),
    atMost('acknowledged but missing', comparison.missing, 0, 'spans'),
    atMost('stored more than once', comparison.repeated, 0, 'spans'),
    atMost('stored but never acknowledged', comparison.unacknowledged, 0, 'spans'),
    atMost('slowest restart', Math.max(...report.rounds.map(({ readyAgainMs }) => readyAgainMs)), 10_000, 'ms'),
    figure('requests that were broken and sent again', load.brokenRequests, ''),
    ...load.unexpectedAnswers.map((value): Figure => ({ name: 'unexpected answer', value })),
  ])
  const lost = comparison.missing + comparison.repeated + comparison.unacknowledged
  process.exitCode = lost > 0 || report.rounds.some(({ unansweredSpans }) => unansweredSpans > 0) ? 1 : 0
} finally {
  await server.remove()
}

function sayRound(round: CrashRound): void {
  say(`killed after ${number(round.aliveMs)} ms, ready again in ${number(round.readyAgainMs)} ms`)
}

function cellsOf(round: CrashRound): string[] {
  return [round.aliveMs, round.acknowledgedSpans, round.readyAgainMs, round.unansweredSpans].map(number)
}
