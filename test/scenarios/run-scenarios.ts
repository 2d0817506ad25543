import { SeededRandom } from '../../server/storage/conformance/seeded-random.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { judgeAnswer } from './judge-answer.ts'
import { logsOfLoad } from './logs-of-load.ts'
import { metricsOfLoad } from './metrics-of-load.ts'
import type { OtlpRecord, Signal } from './otlp-records.ts'
import { isTime, timeOf } from './relative-time.ts'
import type { Ask, Load, Scenario, Step } from './scenario.ts'
import { askDiagnostics, gridMaker, send, setGrid, type TestGrid, untilSealed } from './scenario-grid.ts'
import { spansOfLoad } from './spans-of-load.ts'

const MS_PER_DAY = 86_400_000
const MS_PER_MINUTE = 60_000
const AT_ONCE = 4
const BATCH_MAX = 1000
/** What works in the background has looked by then. */
const EVENTUALLY_MS = 40_000
const POLL_MS = 500

/** A scenario on its way, and what was wrong with it so far. */
interface Run {
  scenario: Scenario
  grid: TestGrid
  momentMs: number
  failures: string[]
}

/**
 * Runs all scenarios on one server, stage by stage: its steps, then a crash, after which the next server seals everything, then
 * what was asked last once more. Resolves to what was wrong with each.
 */
export async function runScenarios(scenarios: Scenario[], dataDir: string): Promise<Map<Scenario, string[]>> {
  let server = await startServer(dataDir)
  const makeGrid = await gridMaker(server, dataDir)
  const runs: Run[] = []
  for (const scenario of scenarios) {
    const grid = await makeGrid(scenario.title.slice(0, 100))
    runs.push({ scenario, grid, momentMs: momentOf(scenario), failures: [] })
  }
  const stages = Math.max(...scenarios.map((scenario) => scenario.stages.length))
  for (let stage = 0; stage < stages; stage++) {
    const current = runs.filter(({ scenario }) => scenario.stages[stage])
    await eachOf(current, (run) => takeSteps(server, run, run.scenario.stages[stage] ?? []))
    await eachOf(current, (run) =>
      askAll(
        server,
        run,
        lastAsks(run, stage).filter(({ eventually }) => eventually),
        '',
      ),
    )
    await server.kill()
    server = await startServer(dataDir)
    await untilSealed(server)
    await eachOf(current, (run) => askAll(server, run, lastAsks(run, stage), ', once sealed'))
  }
  await server.stop()
  return new Map(runs.map(({ scenario, failures }) => [scenario, failures]))
}

/** Noon of the day before, so that the past is the same whenever the test runs; or this very minute. */
function momentOf({ present }: Scenario): number {
  const nowMs = Date.now()
  return present ? nowMs - (nowMs % MS_PER_MINUTE) : nowMs - (nowMs % MS_PER_DAY) - MS_PER_DAY / 2
}

/** The questions of a stage whose answers are still the same at its end. */
function lastAsks({ scenario }: Run, stage: number): Ask[] {
  const steps = scenario.stages[stage] ?? []
  return steps.slice(steps.findLastIndex(({ kind }) => kind !== 'ask') + 1).filter((step) => step.kind === 'ask')
}

async function eachOf(runs: Run[], task: (run: Run) => Promise<void>): Promise<void> {
  const left = [...runs]
  const work = async () => {
    for (let run = left.shift(); run; run = left.shift()) {
      await task(run).catch((error: Error) => run?.failures.push(error.message))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function takeSteps(server: ServerProcess, run: Run, steps: Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'load') await load(server, run, step)
    else if (step.kind === 'setting') await setGrid(server, run.grid, step.path, step.body)
    else if (!step.eventually) await askAll(server, run, [step], '')
  }
}

/** In any order, cut anywhere, and a part of it twice: no answer may depend on how telemetry came. */
async function load(server: ServerProcess, run: Run, step: Load): Promise<void> {
  const random = new SeededRandom(step.line.number)
  const { signal, records } = recordsOf(step, run.momentMs, random.below(2 ** 31))
  const shuffled = random.shuffled(records)
  const batchSize = Math.min(BATCH_MAX, Math.ceil(records.length / 3))
  for (let from = 0; from < shuffled.length; from += batchSize)
    await send(server, run.grid, signal, shuffled.slice(from, from + batchSize))
  await send(server, run.grid, signal, shuffled.slice(0, Math.ceil(batchSize / 2)))
}

function recordsOf(step: Load, momentMs: number, seed: number): { signal: Signal; records: OtlpRecord[] } {
  if (step.signal === 'spans') return { signal: 'traces', records: spansOfLoad(step, momentMs, seed) }
  if (step.signal === 'logs') return { signal: 'logs', records: logsOfLoad(step, momentMs) }
  return { signal: 'metrics', records: metricsOfLoad(step, momentMs) }
}

async function askAll(server: ServerProcess, run: Run, asks: Ask[], when: string): Promise<void> {
  for (const ask of asks) {
    const wrong = await wrongAnswer(server, run, ask)
    for (const text of wrong)
      run.failures.push(`${run.scenario.file}:${ask.line.number}${when}: ${ask.line.text}\n  ${text}`)
  }
}

async function wrongAnswer(server: ServerProcess, run: Run, ask: Ask): Promise<string[]> {
  const deadlineMs = Date.now() + (ask.eventually ? EVENTUALLY_MS : 0)
  for (;;) {
    const answer = await askDiagnostics(server, run.grid, pathOf(ask, run))
    const wrong = judgeAnswer(ask.expectations, answer, run.momentMs)
    if (wrong.length === 0 || Date.now() >= deadlineMs) return wrong
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
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
