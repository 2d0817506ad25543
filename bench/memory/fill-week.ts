import { runCompiled } from '../run-compiled.ts'

export interface WeekOptions {
  /** Of the telemetry store, which nobody has open. */
  folder: string
  gridId: string
  hours: number
  spansPerHour: number
}

/** Fills each of the last hours with spans, so that there is a file for each. */
export async function fillWeek(options: WeekOptions): Promise<void> {
  await runCompiled('memory/week-process.js', options)
}
