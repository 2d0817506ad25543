import type { Telemetry } from './emit/telemetry.ts'
import type { Incident } from './incidents/incident.ts'
import { createShop, type ShopOptions } from './shop/create-shop.ts'

export interface Simulation {
  /** Lets virtual time pass up to this moment of the calendar, and returns what the shop emitted on the way. */
  advanceTo(epochMs: number): Telemetry
  /** Begins an incident now, lets it last, and says what was planted; `recovered` is called once its cause is gone. */
  plant(incident: Incident, lastsMs: number, recovered?: () => void): string
  readonly nowEpochMs: number
}

export function createSimulation(options: ShopOptions): Simulation {
  const shop = createShop(options)
  return {
    advanceTo(epochMs) {
      shop.kernel.runUntil(epochMs - options.startEpochMs)
      return shop.recorder.take()
    },
    plant(incident, lastsMs, recovered) {
      const planted = incident.describe(shop)
      shop.kernel.spawn(incident.unfold(shop, lastsMs), recovered)
      return planted
    },
    get nowEpochMs() {
      return shop.recorder.nowEpochMs
    },
  }
}

export interface SimulateOptions extends ShopOptions {
  durationMs: number
  /** Incidents, when after the start each begins, and for how long; ascending. */
  incidents?: { incident: Incident; afterMs: number; lastsMs: number }[]
  /** How much virtual time each slice covers. */
  sliceMs?: number
}

export interface TelemetrySlice extends Telemetry {
  /** Milliseconds after the start; the slice holds what was emitted until then, and after the slice before. */
  untilMs: number
}

/** A stretch of the shop's life in virtual time, slice by slice, as fast as it is asked for. */
export function* simulate(options: SimulateOptions): Generator<TelemetrySlice> {
  const simulation = createSimulation(options)
  const { durationMs, startEpochMs, incidents = [], sliceMs = 1000 } = options
  const due = [...incidents]
  for (let untilMs = sliceMs; untilMs <= durationMs; untilMs += sliceMs) {
    for (let next = due[0]; next !== undefined && next.afterMs < untilMs; next = due[0]) {
      simulation.plant(next.incident, next.lastsMs)
      due.shift()
    }
    yield { untilMs, ...simulation.advanceTo(startEpochMs + untilMs) }
  }
}
