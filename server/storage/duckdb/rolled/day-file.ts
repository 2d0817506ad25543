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

/** `rolled` lists the hours whose points are in here; cells of any other hour mean nothing. */
export const DAY_FILE_TABLES = {
  rolled: 'hour INTEGER',
  series: `series_no UINTEGER, series UUID, name VARCHAR, metric VARCHAR, service VARCHAR, resource VARCHAR,
    attributes VARCHAR`,
  numbers_5m: NUMBER_CELLS,
  numbers_1h: NUMBER_CELLS,
  distributions_5m: DISTRIBUTION_CELLS,
  distributions_1h: DISTRIBUTION_CELLS,
} as const

interface DayFileName {
  gridId: string
  day: number
  generation: number
  path: string
}

/** What a day of one Grid's metric points comes down to. */
export class DayFile extends AttachableFile {
  readonly gridId: string
  readonly day: number
  /** The first is as its hours were added, later ones are sorted. */
  readonly generation: number
  /** The hours that are rolled up; undefined as long as nobody has looked. */
  hours: Set<number> | undefined

  constructor(attaching: Attaching, { gridId, day, generation, path }: DayFileName) {
    super(attaching, path)
    this.gridId = gridId
    this.day = day
    this.generation = generation
  }

  protected override async ensureTables(session: Session, alias: string): Promise<void> {
    await session.transact(...createTables(alias, DAY_FILE_TABLES))
  }
}
