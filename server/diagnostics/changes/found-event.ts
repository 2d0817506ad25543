export const CHANGE_TYPES = ['deployment', 'scaling', 'new_service', 'new_endpoint', 'configuration'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Something notable that telemetry tells of. */
export interface FoundEvent {
  /** The same for the same event, however often and in whatever order its telemetry is looked at. */
  key: string
  /** In the data's own time, to the minute. */
  atMs: number
  type: ChangeType | 'anomaly' | 'recovery'
  severity: 'info' | 'warning' | 'critical'
  serviceName: string
  description: string
  details: Record<string, string>
}

export const MS_PER_MINUTE = 60_000
const NS_PER_MINUTE = 60_000_000_000n

/** Times are counted in whole minutes since the epoch while events are searched for. */
export function minuteOfNs(ns: bigint): number {
  return Number(ns / NS_PER_MINUTE)
}

type Told = Pick<FoundEvent, 'type' | 'serviceName' | 'description' | 'details'> & {
  severity?: FoundEvent['severity']
  minute: number
  /** What tells it from another event of this type, service and minute. */
  subject?: string
}

export function eventOf({ minute, subject = '', severity = 'info', ...told }: Told): FoundEvent {
  const key = [told.type, told.serviceName, subject, minute].join(':')
  return { key, atMs: minute * MS_PER_MINUTE, severity, ...told }
}

const SHOWN_MAX = 120

/** Names of users have any length; descriptions do not. */
export function shown(name: string): string {
  return name.length <= SHOWN_MAX ? name : `${name.slice(0, SHOWN_MAX - 1)}…`
}
