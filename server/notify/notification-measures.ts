import { Counter, Gauge, type Registry } from 'prom-client'
import { CHANNEL_KINDS, type ChannelTarget } from '../domain/notification-channel.ts'

type ChannelKind = ChannelTarget['kind']

/** What those who send notifications tell about themselves. */
export interface NotificationMeasures {
  attempted(kind: ChannelKind, delivered: boolean): void
  givenUp(kind: ChannelKind, count: number): void
}

/** `waiting` says how many messages wait at the moment; it is asked when somebody looks. */
export function createNotificationMeasures(registry: Registry, waiting: () => Promise<number>): NotificationMeasures {
  const labelNames = ['kind'] as const
  const registers = [registry]
  const counter = (name: string, help: string) => {
    const made = new Counter({ name, help, labelNames, registers })
    // A rate needs a point before the first event.
    for (const kind of CHANNEL_KINDS) made.inc({ kind }, 0)
    return made
  }
  const sent = counter('faultline_notifications_sent_total', 'Notifications that their receiver took, tests included.')
  const failed = counter('faultline_notification_failures_total', 'Attempts to send a notification that failed.')
  const givenUp = counter(
    'faultline_notifications_given_up_total',
    'Notifications that were given up: undelivered for a day, or too many.',
  )
  new Gauge({
    name: 'faultline_notifications_waiting',
    help: 'Notifications that wait to be sent, or to be sent again.',
    registers,
    async collect() {
      this.set(await waiting())
    },
  })
  return {
    attempted: (kind, delivered) => (delivered ? sent : failed).inc({ kind }),
    givenUp: (kind, count) => givenUp.inc({ kind }, count),
  }
}
