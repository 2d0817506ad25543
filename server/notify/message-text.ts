import { valueText } from '../diagnostics/alerts/condition-text.ts'
import type { NotificationMessage, ToldAlert } from './message.ts'

/** One line: what a person sees first. */
export function messageTitle({ type, grid, alerts }: NotificationMessage): string {
  const gridName = oneLine(grid.name)
  if (type === 'test') return `Test from Faultline (${gridName})`
  const [only] = alerts
  if (only && alerts.length === 1) return `${headOf(only)} (${gridName})`
  const count = (status: ToldAlert['status']) => alerts.filter((alert) => alert.status === status).length
  const counts = (['firing', 'resolved'] as const).flatMap((status) =>
    count(status) > 0 ? [`${count(status)} ${status}`] : [],
  )
  return `Alerts: ${counts.join(', ')} (${gridName})`
}

/** Everything, for people to read. */
export function messageText(message: NotificationMessage, textCharsMax: number): string {
  if (message.type === 'test') return 'This channel works: notifications of alerts will look much like this one.'
  const text = message.alerts.map(alertText).join('\n\n')
  return text.length > textCharsMax ? `${text.slice(0, textCharsMax)}…` : text
}

function alertText(alert: ToldAlert): string {
  const value = valueText(alert.metric, alert.currentValue)
  const when =
    alert.status === 'firing'
      ? `${alert.condition}, at ${value}, since ${alert.since}`
      : `${alert.condition}, fired at ${alert.triggeredAt}, ended at ${alert.resolvedAt} (${alert.resolution}), at ${value}`
  return [`${headOf(alert)}, ${alert.severity}`, when, ...diagnosisLines(alert), alert.link].join('\n')
}

function headOf({ status, ruleName, serviceName }: ToldAlert): string {
  const place = serviceName === '' ? '' : ` in ${oneLine(serviceName)}`
  return `${status === 'firing' ? 'Firing' : 'Resolved'}: ${oneLine(ruleName)}${place}`
}

function diagnosisLines({ diagnosis }: ToldAlert): string[] {
  if (!diagnosis) return []
  const { cause, confidence, evidence } = diagnosis
  return [
    `Probable cause: ${oneLine(cause)} (confidence ${confidence})`,
    ...evidence.map((fact) => `  - ${oneLine(fact)}`),
  ]
}

/** Names come from telemetry: none of them may begin a line of its own. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
