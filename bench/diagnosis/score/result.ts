import type { Label } from '../incidents/incident.ts'
import type { Answer } from '../play/player.ts'
import type { Judgement } from './judge.ts'

/** One answer and what is right about it. */
export interface JudgedAnswer extends Answer, Judgement {
  windowMinutes: number
}

export interface Result {
  label: Label
  /** At the end of the fault, one for each window. */
  answers: JudgedAnswer[]
  /** From the onset to the first answer whose first diagnosis names the service; undefined where there was none or nobody asked. */
  firstRightMs: number | undefined
}

export function answerOf({ answers }: Result, windowMinutes: number): JudgedAnswer {
  const found = answers.find((answer) => answer.windowMinutes === windowMinutes)
  if (found === undefined) throw new Error(`a window of ${windowMinutes} minutes was not asked about`)
  return found
}
