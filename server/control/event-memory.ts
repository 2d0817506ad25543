/** An hour of telemetry that was looked through for events. */
export interface SeenHour {
  hourStartMs: number
  /** The version that the hour had when it was looked through. */
  version: string
}

/** How things stood at the end of an hour, for whoever looks through the hour after it. */
export interface HourState {
  hourStartMs: number
  state: string
}

/** A service, or an endpoint of it, that was seen at least once. */
export interface Sighting {
  serviceName: string
  /** Empty for the service itself. */
  operationName: string
  /** In the data's own time. */
  firstMs: number
  lastMs: number
}

/** What the search for events remembers of a Grid, so that it reads an hour again only when the hour has changed. */
export interface EventMemory {
  /** Ascending. */
  hours(gridId: string): Promise<SeenHour[]>
  /** The state of the hour itself, or undefined where it has none. */
  state(gridId: string, hourStartMs: number): Promise<string | undefined>
  /** The nearest state of an hour before this one. */
  stateBefore(gridId: string, hourStartMs: number): Promise<HourState | undefined>
  /** Replaces what is remembered of these hours; one without a state has none afterwards. */
  putHours(gridId: string, hours: (SeenHour & { state?: string })[]): Promise<void>
  /** Drops the states of these hours, which are still known as seen. */
  dropStates(gridId: string, hourStartsMs: number[]): Promise<void>
  forgetHours(gridId: string, hourStartsMs: number[]): Promise<void>
  sightings(gridId: string): Promise<Sighting[]>
  /** Adds sightings, and replaces those of the same service and endpoint. */
  putSightings(gridId: string, sightings: Sighting[]): Promise<void>
  forgetSightings(gridId: string, sightings: Pick<Sighting, 'serviceName' | 'operationName'>[]): Promise<void>
}
