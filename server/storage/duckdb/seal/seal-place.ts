import type { HourFile } from '../files/hour-file.ts'
import type { OpenFile, RowCounts } from '../files/open-file.ts'

/** What a sealing works on: the rows of one Grid and hour in an open file, and the hour file they go to. */
export interface SealPlace {
  open: OpenFile
  file: HourFile
  rows: RowCounts
  parameters: { grid: string; first: string; last: string }
}

/** The condition that selects a place's rows in a table of the open file. */
export function inPlace(time: string): string {
  return `grid = $grid::UUID AND ${time} BETWEEN $first::BIGINT AND $last::BIGINT`
}
