/** What is made of a month, straight into the files of a store that nobody has open. */
export interface MonthOptions {
  folder: string
  gridId: string
  series: number
  /** Hours before now, each with one point of every series. */
  hours: number
  /** Hours of the day before those, each with a point every 15 seconds. */
  fullHours: number
  nowMs: number
}

export interface MadeMonth {
  points: number
  /** Rolling up, of the hours with few points and of the full ones. */
  rolledMs: number
  fullHoursRolledMs: number
}

/** One question: the median, and from points asked once. */
export interface ReadMonth {
  rolledMs: number
  rawMs: number
}
