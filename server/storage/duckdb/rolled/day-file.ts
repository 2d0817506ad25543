import type { Session } from '../engine/session.ts'
import { AttachableFile, type Attaching } from '../files/attachable-file.ts'
import { createTables } from '../schema.ts'

/**
 * A cell stands for the points of a series in five minutes, or an hour. It says of numbers what they add up to, what the first
 * and the last of them are, and how much and in what time the series has grown from the first to the last: so two cells make
 * one, whatever lies between them.
 */
const NUMBER_CELLS = `series_no UINTEGER, points UINTEGER, total DOUBLE, least DOUBLE, greatest DOUBLE, first_ns BIGINT,
  start_ns BIGINT, first_value DOUBLE, last_ns BIGINT, last_value DOUBLE, grown DOUBLE, grown_ns DOUBLE`

/**
 * Of distributions that count from a beginning the last point says all, for each beginning. Those that count from point to
 * point are added up where their buckets are the same, as if they were one point that took as long as all of them.
 */
const DISTRIBUTION_CELLS = `series_no UINTEGER, start_ns BIGINT, points UINTEGER, first_ns BIGINT, last_ns BIGINT,
  detail VARCHAR USING COMPRESSION zstd`

/** Names are numbered within the file; 0 names nothing. */
const NAMES = 'name_no UINTEGER, name VARCHAR'

/** As the minutes of an hour file have it, and of roles nothing but what makes a request. */
const REQUEST_SUMS = 'requests BIGINT, errors BIGINT, duration_ns BIGINT, satisfied BIGINT, tolerating BIGINT'
const OF_OPERATION = 'service_no UINTEGER, operation_no UINTEGER, kind UTINYINT, role UTINYINT'
const OF_SERVICE = 'service_no UINTEGER, kind UTINYINT, role UTINYINT'
const COUNTS = 'counts BLOB USING COMPRESSION zstd'

/**
 * `rolled` lists the hours that are in here; rows of any other hour mean nothing. Of requests, `durations` has each duration and how
 * often it is there, for operations that had so few in an hour that they may be asked for one by one. `seen` has the first and
 * the last minute of each service, and of its SERVER and CONSUMER spans, or -1. `service_latencies_5m` has all steps of an hour
 * in one value (`packed-steps.ts`).
 */
export const DAY_FILE_TABLES = {
  points: {
    rolled: 'hour INTEGER',
    series: `series_no UINTEGER, series UUID, name VARCHAR, metric VARCHAR, service VARCHAR, resource VARCHAR,
      attributes VARCHAR`,
    numbers_5m: NUMBER_CELLS,
    numbers_1h: NUMBER_CELLS,
    distributions_5m: DISTRIBUTION_CELLS,
    distributions_1h: DISTRIBUTION_CELLS,
  },
  requests: {
    rolled: 'hour INTEGER',
    names: NAMES,
    seen: 'hour INTEGER, service_no UINTEGER, first SMALLINT, last SMALLINT, first_entry SMALLINT, last_entry SMALLINT',
    requests_1h: `hour INTEGER, ${OF_OPERATION}, ${REQUEST_SUMS}`,
    latencies_1h: `hour INTEGER, ${OF_OPERATION}, ${COUNTS}`,
    durations: `hour INTEGER, ${OF_OPERATION}, duration_ns BIGINT, n INTEGER`,
    service_requests_1h: `hour INTEGER, ${OF_SERVICE}, ${REQUEST_SUMS}`,
    service_latencies_1h: `hour INTEGER, ${OF_SERVICE}, ${COUNTS}`,
    service_requests_5m: `hour INTEGER, minute UTINYINT, ${OF_SERVICE}, ${REQUEST_SUMS}`,
    service_latencies_5m: `hour INTEGER, ${OF_SERVICE}, ${COUNTS}`,
    spans_1h: 'hour INTEGER, service_no UINTEGER, kind UTINYINT, spans BIGINT',
    calls_1h: `hour INTEGER, service_no UINTEGER, kind UTINYINT, callee_no UINTEGER, called_no UINTEGER,
      dependency_no UINTEGER, calls BIGINT, errors BIGINT, duration_ns BIGINT, unanswered BIGINT`,
  },
} as const

/** What is rolled up. */
export type DayKind = keyof typeof DAY_FILE_TABLES

interface DayFileName {
  gridId: string
  kind: DayKind
  day: number
  generation: number
  path: string
}

/** What a day of one Grid's metric points, or requests and calls, comes down to. */
export class DayFile extends AttachableFile {
  readonly gridId: string
  readonly kind: DayKind
  readonly day: number
  /** The first is as its hours were added, later ones are sorted. */
  readonly generation: number
  /** The hours that are rolled up; undefined as long as nobody has looked. */
  hours: Set<number> | undefined
  /** When something was last rolled up into it, as far as this process knows. */
  changedAtMs = 0

  constructor(attaching: Attaching, { gridId, kind, day, generation, path }: DayFileName) {
    super(attaching, path)
    this.gridId = gridId
    this.kind = kind
    this.day = day
    this.generation = generation
  }

  protected override async ensureTables(session: Session, alias: string): Promise<void> {
    await session.transact(...createTables(alias, DAY_FILE_TABLES[this.kind]))
  }
}
