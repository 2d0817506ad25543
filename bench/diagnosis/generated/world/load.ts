import type { Disturbance } from './disturbance.ts'
import type { Instance } from './instance.ts'

/** How an instance is doing in one stretch of time. */
export interface Load {
  /** Of the processors: what is asked for, which may be more than there is. */
  demand: number
  /** How many times as long work takes as at the usual load. */
  slowdown: number
  /** How long work waits before it begins. */
  backlogMs: number
  /** Of the requests that are turned away. */
  refusedShare: number
}

export const TICK_MS = 5_000
const BUSY_MAX = 0.94
const BACKLOG_MAX_MS = 8_000
const REMEMBERED_TICKS = 12
const CALLS_MIN = 6

/**
 * Loads as a fluid rather than as single jobs: simulated requests stand for many more, so that few of them suffice for an
 * instance to be busy. Where more is asked for than can be done, work piles up until requests are turned away.
 */
export class Loads {
  readonly #disturbances: Disturbance[]
  readonly #ticks = new Map<Instance, Load[]>()
  readonly #calls = new Map<string, { first: number; all: number }>()

  constructor(disturbances: Disturbance[]) {
    this.#disturbances = disturbances
  }

  /** Takes note of a call, so that retries add to the load of whoever is called. */
  note(service: string, atMs: number, isRetry: boolean): void {
    const key = `${service} ${tickOf(atMs)}`
    const calls = this.#calls.get(key) ?? { first: 0, all: 0 }
    calls.all++
    if (!isRetry) calls.first++
    this.#calls.set(key, calls)
  }

  at(instance: Instance, atMs: number): Load {
    const ticks = this.#ticks.get(instance) ?? []
    this.#ticks.set(instance, ticks)
    const tick = tickOf(atMs)
    while (ticks.length <= tick) ticks.push(this.#next(instance, ticks.length, ticks.at(-1)))
    return ticks[tick] as Load
  }

  #next(instance: Instance, tick: number, before: Load | undefined): Load {
    const demand = this.#demand(instance, tick)
    const { usualLoad } = instance.service
    const busy = Math.min(demand, BUSY_MAX)
    const piledUpMs = (before?.backlogMs ?? 0) + (demand - 1) * TICK_MS
    const backlogMs = Math.min(BACKLOG_MAX_MS, Math.max(0, piledUpMs))
    return {
      demand,
      slowdown: Math.max(1, (1 - usualLoad) / (1 - busy)),
      backlogMs,
      refusedShare: backlogMs >= BACKLOG_MAX_MS ? 1 - 1 / Math.max(1, demand) : 0,
    }
  }

  #demand(instance: Instance, tick: number): number {
    const atMs = tick * TICK_MS
    const { usualLoad, name } = instance.service
    const scene = { instance, operation: '', customer: '', atMs }
    let work = usualLoad * this.#repetition(name, tick)
    let stolen = 0
    for (const disturbance of this.#disturbances) {
      work *= (disturbance.trafficFactor?.(atMs) ?? 1) * (disturbance.workFactor?.(scene) ?? 1)
      stolen += disturbance.stolenLoad?.(instance, atMs) ?? 0
    }
    return work + stolen
  }

  /** How often each call is made, retries included: lately, or a little longer ago where hardly anyone called. */
  #repetition(service: string, tick: number): number {
    let first = 0
    let all = 0
    for (let back = 1; back <= REMEMBERED_TICKS && (back <= 3 || first < CALLS_MIN); back++) {
      const calls = this.#calls.get(`${service} ${tick - back}`)
      first += calls?.first ?? 0
      all += calls?.all ?? 0
    }
    return first === 0 ? 1 : all / first
  }
}

function tickOf(atMs: number): number {
  return Math.max(0, Math.floor(atMs / TICK_MS))
}
