import type { TimeWindow } from '../../../domain/time-window.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { GroupPart, groupsOf } from './group-parts.ts'
import type { KeptGroups } from './kept-groups.ts'
import { signatureOf } from './request-steps.ts'
import type { KnownServices } from './services-known.ts'
import { type GridHours, settledHours, windowsBetween } from './settled-hours.ts'

/** Fewer hours are asked about at one go. */
const HOURS_MIN = 12
/** Others want to be answered meanwhile. */
const HOURS_AT_ONCE = 2

type AskKnown = (question: RequestQuestion, known: KnownServices) => Promise<RequestGroup[]>

/** What answers about long windows are made from. */
interface LongSources {
  gridId: string
  kept: KeptGroups
  hours(): GridHours
  /** As what the spans of each service count in a window. */
  known(window: TimeWindow): Promise<KnownServices>
  ask: AskKnown
  /** The same, without keeping all of an hour in memory. */
  askHour: AskKnown
}

/** Of many hours, hour by hour; undefined where the window is short, or what is kept does not suffice. */
export async function longRequests(
  question: RequestQuestion,
  { gridId, kept, ...sources }: LongSources,
): Promise<RequestGroup[] | undefined> {
  if (question.by.includes('minute')) return undefined
  const settled = settledHours(sources.hours(), question.window)
  if (settled.length < HOURS_MIN) return undefined
  const known = await sources.known(question.window)
  const answers = kept.of(`${gridId} ${signatureOf(question, known)}`)
  const partOf = async (file: HourFile): Promise<GroupPart> => {
    const { changedAtMs } = file
    const found = answers.find(file)
    if (found) return found
    const groups = await sources.askHour({ ...question, window: hourWindow(file.hour) }, known)
    return answers.keep(file, changedAtMs, groups)
  }
  const parts: GroupPart[] = []
  for (let at = 0; at < settled.length; at += HOURS_AT_ONCE)
    parts.push(...(await Promise.all(settled.slice(at, at + HOURS_AT_ONCE).map(partOf))))
  kept.makeRoom()
  for (const window of windowsBetween(settled, question.window))
    parts.push(new GroupPart(await sources.ask({ ...question, window }, known), answers.numbers, true))
  return groupsOf(parts, answers.numbers, question.latencies)
}

function hourWindow(hour: number): TimeWindow {
  const { firstNs, lastNs } = nsRangeOfHour(hour)
  return { startNs: firstNs, endNs: lastNs + 1n }
}
