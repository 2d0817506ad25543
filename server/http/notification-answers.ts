import type { Static } from 'typebox'
import type { Delivery, Silence } from '../control/notification-store.ts'
import type { NotificationChannel } from '../domain/notification-channel.ts'
import type * as schemas from './schemas/notifications.ts'

export function channelAnswer(channel: NotificationChannel): Static<typeof schemas.channel> {
  const { id, name, target, createdAtMs, updatedAtMs } = channel
  return {
    id,
    name,
    kind: target.kind,
    webhook: target.kind === 'webhook' ? { url: withoutQuery(target.url) } : null,
    slack: target.kind === 'slack' ? { url: target.url } : null,
    email: target.kind === 'email' ? emailAnswer(target) : null,
    createdAt: isoOfMs(createdAtMs),
    updatedAt: isoOfMs(updatedAtMs),
  }
}

function emailAnswer({ kind, ...settings }: Extract<NotificationChannel['target'], { kind: 'email' }>) {
  return settings
}

export function deliveryAnswer(delivery: Delivery): Static<typeof schemas.delivery> {
  return {
    id: delivery.id,
    kind: delivery.kind,
    state: delivery.state,
    createdAt: isoOfMs(delivery.createdAtMs),
    attempts: delivery.attempts,
    lastAttemptAt: isoOrNull(delivery.lastAttemptAtMs),
    nextAttemptAt: isoOrNull(delivery.nextAttemptAtMs),
    deliveredAt: isoOrNull(delivery.deliveredAtMs),
    statusCode: delivery.statusCode,
    error: delivery.error,
    alerts: delivery.alerts.map(({ alertId, transition, ruleName, serviceName }) => ({
      alertId,
      transition,
      ruleName,
      serviceName,
    })),
  }
}

export function silenceAnswer(silence: Silence): Static<typeof schemas.silence> {
  const { gridId, startsAtMs, endsAtMs, ...rest } = silence
  return { ...rest, startsAt: isoOfMs(startsAtMs), endsAt: isoOfMs(endsAtMs) }
}

function withoutQuery(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? url : `${url.slice(0, at)}?…`
}

function isoOfMs(ms: number): string {
  return new Date(ms).toISOString()
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOfMs(ms)
}
