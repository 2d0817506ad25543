import { isQuiet, type Label } from '../incidents/incident.ts'
import type { GivenDiagnosis } from '../play/player.ts'
import type { JudgedAnswer, Result } from '../score/result.ts'

/** What became of an incident, in a line: `ob-1 cpu in cart: 3 min right, 10 min wrong kind`. */
export function incidentLine({ label, answers }: Result): string {
  const words = answers.map((answer) => `${answer.windowMinutes} min ${wordOf(label, answer)}`)
  return `${label.id} ${truth(label)}: ${words.join(', ')}`
}

/** The same with all that was answered, and what of it is right. */
export function incidentStory(result: Result): string {
  const answered = result.answers.flatMap((answer) => [
    `  window ${answer.windowMinutes}: ${wordOf(result.label, answer)}`,
    ...answer.diagnoses.slice(0, 5).flatMap((given) => storyOf(given, result.label)),
  ])
  return [incidentLine(result), ...answered].join('\n')
}

function truth({ kind, faults }: Label): string {
  const places = faults.map(
    ({ serviceNames, culprit }) => serviceNames.join(' or ') + (culprit ? ` (${culprit.names.join(' or ')})` : ''),
  )
  return faults.length === 0 ? kind : `${kind} in ${places.join(' and ')}`
}

function wordOf(label: Label, { diagnoses, top1, top3, kind, culprit, isAccusation }: JudgedAnswer): string {
  if (isQuiet(label)) return isAccusation ? 'ACCUSED' : diagnoses.length > 0 ? 'doubtful' : 'silent'
  if (diagnoses.length === 0) return 'NOTHING FOUND'
  if (!top1) return top3 ? 'SECOND OR THIRD' : 'WRONG'
  return `right${kind ? '' : ', WRONG KIND'}${culprit === false ? ', CULPRIT NOT NAMED' : ''}`
}

function storyOf(
  { cause, confidence, evidence, affectedServices, firstDetectedMs }: GivenDiagnosis,
  label: Label,
): string[] {
  const afterS = Math.round((firstDetectedMs - label.onsetMs) / 1000)
  return [
    `    ${confidence.toFixed(2)} ${cause}; onset ${afterS >= 0 ? '+' : ''}${afterS} s; affects ${affectedServices.join(', ')}`,
    ...evidence.map((line) => `         ${line}`),
  ]
}
