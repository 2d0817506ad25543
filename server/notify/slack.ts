import type { NotificationMessage } from './message.ts'
import { messageText, messageTitle } from './message-text.ts'

/** Slack cuts a message at 40,000 characters, and an escaped one is up to five times as long. */
const TEXT_CHARS_MAX = 7_000

/** As Slack, Mattermost and others take it. */
export function slackBody(message: NotificationMessage): string {
  return JSON.stringify({
    text: `*${escaped(messageTitle(message))}*\n${escaped(messageText(message, TEXT_CHARS_MAX))}`,
  })
}

/** Nothing that telemetry contains becomes a mention or a link. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
