import type { TimeWindow } from '../../../domain/time-window.ts'
import type { RequestStep, RequestStepQuestion } from '../../chart-reader.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import { questionOfSums, stepOfGroup } from '../../request-steps.ts'
import type { HourFile } from '../files/hour-file.ts'
import { hourOf, nsRangeOfHour } from '../layout.ts'
import type { KeptSteps } from './kept-steps.ts'
import type { KnownServices } from './services-known.ts'
import { type GridHours, settledHours, windowsBetween } from './settled-hours.ts'

const MINUTES_PER_HOUR = 60
/** Fewer hours are answered from their sums, which are in memory. */
const HOURS_MIN = 4

/** What steps are made from. */
export interface StepSources {
  kept: KeptSteps
  hours(): GridHours
  /** As what the spans of each service count in a window. */
  known(window: TimeWindow): Promise<KnownServices>
  ask(question: RequestQuestion, known?: KnownServices): Promise<RequestGroup[]>
  /** The same, of whole hours that are sealed. */
  askSealed(question: RequestQuestion, groupBy: string, known: KnownServices): Promise<RequestStep[]>
  askSpans(): Promise<RequestStep[]>
}

/** From sums where they are kept by what is asked, and from spans otherwise. */
export async function requestSteps(question: RequestStepQuestion, sources: StepSources): Promise<RequestStep[]> {
  const sums = questionOfSums(question)
  if (sums === undefined) return await sources.askSpans()
  if (sums === 'nothing') return []
  const stepsOf = (groups: RequestGroup[]) => groups.map((group) => stepOfGroup(group, question.groupBy))
  // A longer step has parts of several hours, which do not add up to its percentiles.
  const isWithinHour = MINUTES_PER_HOUR % question.stepMinutes === 0
  const settled = isWithinHour ? settledHours(sources.hours(), question.window) : []
  if (settled.length < HOURS_MIN) return stepsOf(await sources.ask(sums))

  const known = await sources.known(question.window)
  const asked = signatureOf(sums, known)
  const steps: RequestStep[] = []
  const missing = settled.filter((file) => !sources.kept.addTo(steps, asked, file))
  if (missing.length > 0) {
    const versions = missing.map((file) => ({ file, changedAtMs: file.changedAtMs }))
    const found = await sources.askSealed({ ...sums, window: spanOf(missing) }, question.groupBy, known)
    const byHour = new Map<number, RequestStep[]>(missing.map(({ hour }) => [hour, []]))
    for (const step of found) byHour.get(hourOf(step.stepNs))?.push(step)
    for (const { file, changedAtMs } of versions) {
      const ofHour = byHour.get(file.hour) ?? []
      for (const step of ofHour) steps.push(step)
      sources.kept.keep(asked, file, changedAtMs, ofHour)
    }
  }
  for (const window of windowsBetween(settled, question.window))
    for (const step of stepsOf(await sources.ask({ ...sums, window }, known))) steps.push(step)
  return steps
}

/** What an answer depends on, but for its window and what is stored. */
function signatureOf({ window, ...sums }: RequestQuestion, { entries }: KnownServices): string {
  return JSON.stringify([sums, [...entries].sort()])
}

/** From the first to the last of these hours. */
function spanOf(files: HourFile[]): TimeWindow {
  const hours = files.map(({ hour }) => hour)
  const { firstNs } = nsRangeOfHour(Math.min(...hours))
  return { startNs: firstNs, endNs: nsRangeOfHour(Math.max(...hours)).lastNs + 1n }
}
