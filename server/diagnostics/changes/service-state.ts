import { type AnomalyState, noAnomalies } from '../anomalies/anomaly-state.ts'
import type { Stays } from './presence.ts'

/** A time in which instances are replaced one by one by those of another version. */
export interface Roll {
  start: number
  version: string
  previous: string
  /** When the previous version was last seen; undefined while it is still there. */
  end?: number
  /** The previous version stayed. */
  canary?: boolean
}

/** An instance that came or went. */
export interface Step {
  minute: number
  change: 1 | -1
}

/** A setting that may have changed: it is certain once the old configuration is gone. */
export interface PendingConfiguration {
  minute: number
  previous: string
  description: string
  attributes: string
}

/** What has to be known of a service at the end of a minute to judge the next one. */
export interface ServiceState {
  first: number
  last: number
  /** How much was seen of it at all, up to a limit. */
  work: number
  versions: Stays
  /** Versions that are gone. */
  pastVersions: Map<string, { last: number }>
  /** Versions that seem to be back, and how much they have done since. */
  returning: Map<string, { minute: number; previous: string; work: number }>
  rolls: Roll[]
  instances: Stays
  /** How many instances there were before `steps`. */
  instanceCount: number
  /** Not yet told as a change. */
  steps: Step[]
  configurations: Stays
  pastConfigurations: Map<string, { last: number; first: number }>
  pendingConfigurations: Map<string, PendingConfiguration>
  /** When events of this service were told lately, by type, to tell no flood of them. */
  told: Map<string, number[]>
  anomalies: AnomalyState
}

export function newServiceState(minute: number): ServiceState {
  return {
    first: minute,
    last: minute,
    work: 0,
    versions: new Map(),
    pastVersions: new Map(),
    returning: new Map(),
    rolls: [],
    instances: new Map(),
    instanceCount: 0,
    steps: [],
    configurations: new Map(),
    pastConfigurations: new Map(),
    pendingConfigurations: new Map(),
    told: new Map(),
    anomalies: noAnomalies(),
  }
}

const TOLD_PER_HOUR_MAX = 6

/** Whether one more event of this kind may be told; one that may be is counted. */
export function mayTell({ told }: ServiceState, kind: string, minute: number): boolean {
  const lately = (told.get(kind) ?? []).filter((before) => before > minute - 60)
  if (lately.length >= TOLD_PER_HOUR_MAX) return false
  told.set(kind, [...lately, minute])
  return true
}
