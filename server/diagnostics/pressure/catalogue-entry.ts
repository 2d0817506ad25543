export const PRESSURE_TYPES = [
  'connection_pool',
  'thread_pool',
  'event_loop',
  'queue',
  'cpu',
  'memory',
  'disk',
  'file_descriptors',
  'rate_limit',
  'concurrency',
] as const
export type PressureType = (typeof PRESSURE_TYPES)[number]

/** Which series of a metric count, by the first of these attributes that a series has. Without any of them it is `''`. */
export interface Condition {
  keys: readonly string[]
  is?: readonly string[]
  not?: readonly string[]
}

/** What to read: the sum over the series of one metric. */
export interface Measure {
  /** The same thing under its current and its former names, best first; only the first that is there counts. */
  names: readonly string[]
  /** All of them must hold. */
  where?: readonly Condition[]
  /** The metric counts up, and what it gains in a second is what counts. */
  rate?: true
  /** The sum is divided by how many values these attributes have: shares of single processors are not to add up. */
  averagedOver?: readonly string[]
}

/**
 * How to read the pressure on one kind of resource from metrics. Of several measures for one role the first that is there
 * counts. Units are those of the conventions (seconds, bytes, shares of 1); a point's own unit converts it.
 */
export interface CatalogueEntry {
  type: PressureType
  /** What it is called where no attribute names it. */
  resource: string
  /** Attributes of the series, else of its origin, that name the resource: the first that is there. */
  namedBy?: readonly string[]
  /** More attributes that belong to the name, behind a slash. */
  with?: readonly string[]
  /** How much of the limit is in use, 0 to 1, where the metric says just that. */
  share?: readonly Measure[]
  used?: readonly Measure[]
  /** What is left: the limit less this is used where nothing says so, or this and what is used are the limit. */
  free?: readonly Measure[]
  limit?: readonly Measure[]
  /** Where no limit is known and somebody waits, used and idle together are the limit: nobody waits while there is room. */
  idle?: readonly Measure[]
  /** What waits. */
  pending?: readonly Measure[]
  /** What counts as full where nothing has a limit to tell. */
  fullAt?: number
  /** Without a known limit: from how much a growing backlog counts. */
  backlogMin?: number
  /** Without a known limit: a height that was not crossed for five minutes while ever more wait counts as one. */
  ceiling?: true
  /** Belongs to the machine: its name is part of the resource's. */
  ofHost?: true
}
