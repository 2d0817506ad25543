import { placesOf } from './incidents/catalogue.ts'
import type { IncidentChoice } from './incidents/schedule.ts'
import { USUAL_RATE_PER_SECOND } from './topology/traffic.ts'

/** Real time, and waiting in it. A wait ends early, without an error, when the signal fires. */
export interface Clock {
  nowMs(): number
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}

export interface DemoOptions {
  /** Where OTLP over HTTP is taken, without `/v1/…`: `http://127.0.0.1:4318`. */
  endpoint: string
  /** Sent with every request: the ingest key. */
  headers: Record<string, string>
  /** Ends the demo. */
  signal: AbortSignal
  print: (line: string) => void
  /** The command that answers a question such as `diagnosis`, to be printed with each incident. */
  commandFor?: (question: string) => string
  /** Requests a second; each gives about 11 spans. */
  rate?: number
  /** The same seed at the same moment gives the same telemetry. Without one, every run differs. */
  seed?: string
  incidents?: IncidentChoice
  incidentEveryMinutes?: number
  /** How long an incident lasts before what caused it is undone. */
  incidentMinutes?: number
  /** How much calm past is sent before real time is reached. */
  pastMinutes?: number
  clock?: Clock
}

export type DemoSettings = Required<DemoOptions>

/** What is wrong with an option, in a sentence for the person who gave it. */
export class BadDemoOption extends Error {
  override readonly name = 'BadDemoOption'
}

export function settleOptions(options: DemoOptions): DemoSettings {
  const clock = options.clock ?? REAL_CLOCK
  const incidentMinutes = within('incident-minutes', options.incidentMinutes ?? 6, 1, 60, 'minutes')
  return {
    ...options,
    clock,
    commandFor: options.commandFor ?? ((question) => `faultline query ${question}`),
    rate: within('rate', options.rate ?? USUAL_RATE_PER_SECOND, 1, 1000, 'requests a second'),
    seed: options.seed ?? String(clock.nowMs()),
    incidents: possible(options.incidents ?? 'scheduled'),
    incidentMinutes,
    incidentEveryMinutes: within(
      'incident-every',
      options.incidentEveryMinutes ?? 20,
      incidentMinutes + 2,
      1440,
      'minutes',
    ),
    pastMinutes: within('past', options.pastMinutes ?? 75, 0, 1440, 'minutes'),
  }
}

function possible(choice: IncidentChoice): IncidentChoice {
  if (typeof choice === 'string') return choice
  const places = placesOf(choice.kind)
  if (places.includes(choice.service)) return choice
  throw new BadDemoOption(`incident-service is ${choice.service}, but ${choice.kind} strikes in ${places.join(' or ')}`)
}

function within(name: string, value: number, min: number, max: number, unit: string): number {
  if (value >= min && value <= max) return value
  throw new BadDemoOption(`${name} is ${value}, but must be from ${min} to ${max} ${unit}`)
}

const REAL_CLOCK: Clock = {
  nowMs: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, delayMs)
      signal.addEventListener('abort', wake)
      if (signal.aborted) wake()
    }),
}
