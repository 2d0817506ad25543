import { setImmediate as letOthersRun } from 'node:timers/promises'
import { type DemoOptions, type DemoSettings, settleOptions } from './demo-options.ts'
import { type ExportCounts, type OtlpSender, openOtlpSender } from './export/otlp-sender.ts'
import type { Incident, IncidentKind } from './incidents/incident.ts'
import { createSchedule, type IncidentSchedule } from './incidents/schedule.ts'
import { createSimulation, type Simulation } from './simulation.ts'

export interface PlantedIncident {
  kind: IncidentKind
  service: string
  startedEpochMs: number
}

export interface DemoSummary extends ExportCounts {
  planted: PlantedIncident[]
}

/** How much virtual time passes before others may run again. */
const SLICE_MS = 1000
const TICK_MS = 1000
const TROUBLE_EVERY_MS = 15_000
/** How long a stop waits for what is under way. */
const CLOSE_PATIENCE_MS = 5000

/**
 * Runs the simulated shop against an OTLP endpoint: a calm past as fast as the server takes it, then real time, until
 * the signal fires. What the shop emits waits for the server, so a slow server makes it late and never fills memory.
 */
export async function runDemo(options: DemoOptions): Promise<DemoSummary> {
  const settings = settleOptions(options)
  const { clock, signal, print, rate, seed } = settings
  const startEpochMs = Math.round(clock.nowMs() - settings.pastMinutes * 60_000)
  const simulation = createSimulation({ seed, ratePerSecond: rate, startEpochMs })
  const sender = openOtlpSender({ ...settings, onTrouble: seldom(settings) })
  signal.addEventListener('abort', () => sender.hurry(), { once: true })
  if (settings.pastMinutes > 0) print(`Sending ${settings.pastMinutes} minutes of calm past to ${settings.endpoint} …`)
  const planted: PlantedIncident[] = []
  try {
    await sendPast(settings, simulation, sender, startEpochMs)
    await sendPresent(settings, simulation, sender, planted)
  } catch (error) {
    await sender.close(0)
    throw error
  }
  const counts = await sender.close(CLOSE_PATIENCE_MS)
  print(`Sent ${told(counts)}.`)
  return { ...counts, planted }
}

/** Until virtual time has caught up with real time, which goes on meanwhile. */
async function sendPast(
  settings: DemoSettings,
  simulation: Simulation,
  sender: OtlpSender,
  startEpochMs: number,
): Promise<void> {
  const { clock, signal, print } = settings
  let toldEpochMs = startEpochMs
  while (!signal.aborted && simulation.nowEpochMs < clock.nowMs() - TICK_MS) {
    await sender.send(simulation.advanceTo(simulation.nowEpochMs + SLICE_MS))
    await letOthersRun()
    if (simulation.nowEpochMs - toldEpochMs < 15 * 60_000) continue
    toldEpochMs = simulation.nowEpochMs
    print(`Calm past: ${Math.round((toldEpochMs - startEpochMs) / 60_000)} of ${settings.pastMinutes} minutes sent`)
  }
  await sender.flush()
}

/** In step with real time; behind it only while the server is slow. */
async function sendPresent(
  settings: DemoSettings,
  simulation: Simulation,
  sender: OtlpSender,
  planted: PlantedIncident[],
): Promise<void> {
  const { clock, signal, print } = settings
  if (signal.aborted) return
  const schedule = createSchedule(settings.incidents, clock.nowMs(), settings.incidentEveryMinutes * 60_000)
  print(`Live since ${timeOf(clock.nowMs())}: ${settings.rate} requests a second. ${outlook(schedule)}`)
  while (!signal.aborted) {
    while (!signal.aborted && simulation.nowEpochMs < clock.nowMs()) {
      const due = schedule.takeDue(simulation.nowEpochMs)
      if (due !== undefined) planted.push(plant(settings, simulation, schedule, due))
      await sender.send(simulation.advanceTo(Math.min(simulation.nowEpochMs + SLICE_MS, clock.nowMs())))
      await letOthersRun()
    }
    await sender.flush()
    await clock.sleep(TICK_MS, signal)
  }
}

function plant(
  settings: DemoSettings,
  simulation: Simulation,
  schedule: IncidentSchedule,
  incident: Incident,
): PlantedIncident {
  const { print, commandFor } = settings
  const { kind, service, expect } = incident
  const startedEpochMs = simulation.nowEpochMs
  const lastsMs = settings.incidentMinutes * 60_000
  const planted = simulation.plant(incident, lastsMs, () => {
    print(`${timeOf(simulation.nowEpochMs)} Over: ${kind} in ${service}. ${outlook(schedule)}`)
  })
  print(`${timeOf(startedEpochMs)} Planted: ${kind} in ${service}, until about ${timeOf(startedEpochMs + lastsMs)}`)
  print(`    what    ${planted}`)
  print(`    expect  ${expect}`)
  print(`    compare ${commandFor('diagnosis')}`)
  return { kind, service, startedEpochMs }
}

function outlook(schedule: IncidentSchedule): string {
  const next = schedule.nextEpochMs
  return next === undefined ? 'No further incident is planned.' : `Next incident at ${timeOf(next)}.`
}

/** The same trouble every second would bury everything else that is printed. */
function seldom({ clock, print }: DemoSettings): (text: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return (text) => {
    if (clock.nowMs() - lastMs < TROUBLE_EVERY_MS) return
    lastMs = clock.nowMs()
    print(text)
  }
}

function told({ spans, logs, metricPoints, rejected }: ExportCounts): string {
  const failed = spans.failed + logs.failed + metricPoints.failed
  const sent = `${spans.acknowledged} spans, ${logs.acknowledged} log records and ${metricPoints.acknowledged} metric points`
  return `${sent}; ${failed} failed, ${rejected} were not kept`
}

function timeOf(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(11, 19)}Z`
}
