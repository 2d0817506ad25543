import { SeededRandom } from '../../server/storage/conformance/seeded-random.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { judgeAnswer } from './judge-answer.ts'
import { logsOfLoad } from './logs-of-load.ts'
import { metricsOfLoad } from './metrics-of-load.ts'
import type { OtlpRecord, Signal } from './otlp-records.ts'
import { isTime, timeOf } from './relative-time.ts'
import type { Ask, Load, Scenario, Step } from './scenario.ts'
import {
  acknowledge,
  askGrid,
  gridMaker,
  makeChart,
  send,
  setGrid,
  type TestGrid,
  untilSealed,
} from './scenario-grid.ts'
import { spansOfLoad } from './spans-of-load.ts'
import { untilLooked } from './until-looked.ts'

const MS_PER_DAY = 86_400_000
const MS_PER_MINUTE = 60_000
const AT_ONCE = 4
const BATCH_MAX = 1000

/** A scenario on its way, and what was wrong with it so far. */
interface Run {
  scenario: Scenario
  grid: TestGrid
  momentMs: number
  /** Spans that come with the next stage. */
  late: OtlpRecord[]
  failures: string[]
}

/**
 * Runs all scenarios on one server, stage by stage: its steps; then a crash, after which the next server seals everything; then
 * what was asked last once more. Resolves to what was wrong with each.
 */
export async function runScenarios(scenarios: Scenario[], dataDir: string): Promise<Map<Scenario, string[]>> {
  let server = await startServer(dataDir)
  const makeGrid = await gridMaker(server, dataDir)
  const runs: Run[] = []
  // The present is loaded last: it does not wait.
  for (const scenario of scenarios.toSorted((a, b) => Number(a.present) - Number(b.present)))
    runs.push({ scenario, grid: await makeGrid(scenario.title.slice(0, 100)), momentMs: 0, late: [], failures: [] })
  const stages = Math.max(...scenarios.map((scenario) => scenario.stages.length))
  for (let stage = 0; stage < stages; stage++) {
    const current = runs.filter(({ scenario }) => scenario.stages[stage])
    await takeStage(server, dataDir, current, stage)
    await server.kill()
    server = await startServer(dataDir)
    await untilSealed(server)
    await eachOf(current, (run) => askAll(server, run, lastAsks(stepsOf(run, stage)), ', once sealed'))
  }
  await server.stop()
  return new Map(runs.map(({ scenario, failures }) => [scenario, failures]))
}

/** What is found in the background is asked about once everything has been looked through. */
async function takeStage(server: ServerProcess, dataDir: string, runs: Run[], stage: number): Promise<void> {
  await eachOf(runs, async (run) => deliver(server, run, 'traces', run.late.splice(0), stage))
  await eachOf(runs, (run) => takeSteps(server, run, beforeAwait(stepsOf(run, stage))))
  const waiting = runs.filter((run) => afterAwait(stepsOf(run, stage)).length > 0)
  if (waiting.length === 0) return
  const awaited = waiting.flatMap((run) => lastAsks(stepsOf(run, stage))).map(({ path }) => path)
  await untilLooked(server, await gridMaker(server, dataDir), awaited)
  await eachOf(waiting, (run) => takeSteps(server, run, afterAwait(stepsOf(run, stage))))
}

/** Noon of the day before, so that the past is the same whenever the test runs; or this very minute. */
function momentOf({ present }: Scenario): number {
  const nowMs = Date.now()
  return present ? nowMs - (nowMs % MS_PER_MINUTE) : nowMs - (nowMs % MS_PER_DAY) - MS_PER_DAY / 2
}

function stepsOf({ scenario }: Run, stage: number): Step[] {
  return scenario.stages[stage] ?? []
}

function beforeAwait(steps: Step[]): Step[] {
  const at = steps.findIndex((step) => step.kind === 'ask' && step.awaits)
  return at === -1 ? steps : steps.slice(0, at)
}

function afterAwait(steps: Step[]): Step[] {
  return steps.slice(beforeAwait(steps).length)
}

/** The questions of a stage whose answers are still the same at its end. */
function lastAsks(steps: Step[]): Ask[] {
  return steps.slice(steps.findLastIndex(({ kind }) => kind !== 'ask') + 1).filter((step) => step.kind === 'ask')
}

async function eachOf(runs: Run[], task: (run: Run) => Promise<void>): Promise<void> {
  const left = [...runs]
  const work = async () => {
    for (let run = left.shift(); run; run = left.shift()) {
      run.momentMs ||= momentOf(run.scenario)
      await task(run).catch((error: Error) => run?.failures.push(error.message))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function takeSteps(server: ServerProcess, run: Run, steps: Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'load') await load(server, run, step)
    else if (step.kind === 'setting') await setGrid(server, run.grid, step)
    else if (step.kind === 'chart') await makeChart(server, run.grid, step.body)
    else if (step.kind === 'acknowledgement') await acknowledge(server, run.grid, step.ruleName)
    else await askAll(server, run, [step], '')
  }
}

async function load(server: ServerProcess, run: Run, step: Load): Promise<void> {
  const { signal, records } = recordsOf(step, run.momentMs, step.line.number)
  run.late.push(...records.filter(({ late }) => late))
  await deliver(
    server,
    run,
    signal,
    records.filter(({ late }) => !late),
    step.line.number,
  )
}

/** In any order, cut anywhere, and a part of it twice: no answer may depend on how telemetry came. */
async function deliver(
  server: ServerProcess,
  { grid }: Run,
  signal: Signal,
  records: OtlpRecord[],
  seed: number,
): Promise<void> {
  const shuffled = new SeededRandom(seed).shuffled(records)
  const batchSize = Math.min(BATCH_MAX, Math.ceil(records.length / 3))
  for (let from = 0; from < shuffled.length; from += batchSize)
    await send(server, grid, signal, shuffled.slice(from, from + batchSize))
  if (batchSize > 0) await send(server, grid, signal, shuffled.slice(0, Math.ceil(batchSize / 2)))
}

function recordsOf(step: Load, momentMs: number, seed: number): { signal: Signal; records: OtlpRecord[] } {
  if (step.signal === 'spans') return { signal: 'traces', records: spansOfLoad(step, momentMs, seed) }
  if (step.signal === 'logs') return { signal: 'logs', records: logsOfLoad(step, momentMs) }
  return { signal: 'metrics', records: metricsOfLoad(step, momentMs) }
}

async function askAll(server: ServerProcess, run: Run, asks: Ask[], when: string): Promise<void> {
  for (const ask of asks) {
    const answer = await askGrid(server, run.grid, pathOf(ask, run))
    const place = `${run.scenario.file}:${ask.line.number}${when}: ${ask.line.text}`
    for (const text of judgeAnswer(ask.expectations, answer, run.momentMs)) run.failures.push(`${place}\n  ${text}`)
  }
}

/** A question is about the scenario's moment where it says nothing else, and about now where that is its moment. */
function pathOf({ path, query }: Ask, { scenario, momentMs }: Run): string {
  const asked = new Map(
    query.map(([key, value]) => [key, isTime(value) && key !== 'window' ? datetimeOf(value, momentMs) : value]),
  )
  if (!scenario.present && !asked.has('at') && path !== '/compare') asked.set('at', datetimeOf('0', momentMs))
  if (asked.get('at') === 'now') asked.delete('at')
  const text = new URLSearchParams([...asked]).toString()
  return text === '' ? path : `${path}?${text}`
}

function datetimeOf(time: string, momentMs: number): string {
  return new Date(momentMs + timeOf(time)).toISOString()
}
