import { isQuiet, type Label } from '../incidents/incident.ts'
import type { Played } from '../play/player.ts'
import { judge } from './judge.ts'
import type { JudgedAnswer, Result } from './result.ts'

export const WINDOWS_MINUTES = [3, 10] as const
/** How often somebody looks while the incident goes on, and at how much. */
const LOOK_EVERY_MS = 15_000
const LOOK_WINDOW_MINUTES = 3
const LOOKS_MAX = 80

/** Asks about one incident, at its end and, where times are wanted, from its onset on. */
export async function evaluate(played: Played, wantsTimes: boolean): Promise<Result> {
  const { label } = played.incident
  const answers: JudgedAnswer[] = []
  for (const windowMinutes of WINDOWS_MINUTES) {
    const answer = await played.ask(label.endMs, windowMinutes)
    answers.push({ windowMinutes, ...answer, ...judge(label, answer.diagnoses) })
  }
  const firstRightMs = wantsTimes && !isQuiet(label) ? await timeToFirstRight(played, label) : undefined
  return { label, answers, firstRightMs }
}

async function timeToFirstRight(played: Played, label: Label): Promise<number | undefined> {
  const { onsetMs, endMs } = label
  for (let look = 1; look <= LOOKS_MAX && onsetMs + look * LOOK_EVERY_MS <= endMs; look++) {
    const { diagnoses } = await played.ask(onsetMs + look * LOOK_EVERY_MS, LOOK_WINDOW_MINUTES)
    if (judge(label, diagnoses).top1) return look * LOOK_EVERY_MS
  }
  return undefined
}
