import type { AlertSeverity } from '../domain/alert-rule.ts'
import type { ChannelTarget, NotificationChannel } from '../domain/notification-channel.ts'
import type { Resolution } from './alert-store.ts'

/** One change of an alert, as it was when it changed. */
export interface AlertTransition {
  transition: 'firing' | 'resolved'
  alertId: string
  ruleId: string
  ruleName: string
  metric: string
  condition: string
  severity: AlertSeverity
  serviceName: string
  value: number
  sinceMs: number
  triggeredAtMs: number
  resolvedAtMs: number | null
  resolution: Resolution | null
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'given up'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** One message to one channel. Its id stays the same however often it is sent. */
export interface Delivery {
  id: string
  kind: 'alerts' | 'test'
  state: DeliveryState
  createdAtMs: number
  attempts: number
  lastAttemptAtMs: number | null
  /** Null where it will not be sent again. */
  nextAttemptAtMs: number | null
  deliveredAtMs: number | null
  /** What the receiver answered last; null where it did not, or where it speaks no HTTP. */
  statusCode: number | null
  /** Why the last attempt failed; empty where it did not. */
  error: string
  alerts: Pick<AlertTransition, 'alertId' | 'transition' | 'ruleName' | 'serviceName'>[]
}

/** A delivery whose turn it is, with all that sending it takes. */
export interface DueDelivery {
  id: string
  channel: NotificationChannel
  secret: string
  createdAtMs: number
  attempts: number
  alerts: AlertTransition[]
  /** What is sent, once that is settled: the same on every attempt. */
  message: string | null
}

/** What came of an attempt. */
export interface Attempt {
  delivered: boolean
  statusCode: number | null
  error: string
}

export interface ChannelStore {
  /** Fails with `AlreadyExists` where the name is taken, and with `RecordRefused` where there are too many. */
  create(gridId: string, channel: { name: string; target: ChannelTarget; secret: string }): Promise<NotificationChannel>
  find(gridId: string, id: string): Promise<NotificationChannel | undefined>
  /** By name. */
  list(gridId: string): Promise<NotificationChannel[]>
  /** Keeps the secret where none is given, and tries again at once what waits. Undefined where there is no such channel. */
  update(
    gridId: string,
    id: string,
    channel: { name: string; target: ChannelTarget; secret?: string },
    nowMs: number,
  ): Promise<NotificationChannel | undefined>
  /** With its deliveries, and from the rules that name it. False where there is no such channel. */
  remove(gridId: string, id: string): Promise<boolean>
  /** For sending only. */
  secretOf(gridId: string, id: string): Promise<string | undefined>
  /** Newest first. */
  deliveries(gridId: string, id: string, page: { offset: number; limit: number }): Promise<DeliveryPage>
}

export interface DeliveryPage {
  items: Delivery[]
  totalCount: number
}

/** While it lasts, nothing is sent of the alerts that it matches. They fire and are listed all the same. */
export interface Silence {
  id: string
  gridId: string
  /** Null for any. */
  ruleId: string | null
  serviceName: string | null
  reason: string
  createdBy: string
  startsAtMs: number
  endsAtMs: number
}

export type NewSilence = Omit<Silence, 'id' | 'gridId'>

export interface SilenceStore {
  /** Fails with `RecordRefused` where too many have not ended yet. */
  create(gridId: string, silence: NewSilence, nowMs: number): Promise<Silence>
  /** Those that have not ended before this moment, the one that ends next first. */
  list(gridId: string, endingAfterMs: number): Promise<Silence[]>
  /** Ends it at this moment. False where there is none that lasts. */
  end(gridId: string, id: string, nowMs: number): Promise<boolean>
}

/** Messages on their way. They are put here by whatever changes an alert, in the same transaction. */
export interface Outbox {
  /** Of each channel the oldest message that waits, where its time has come; the longest overdue first. Channels that are named are passed over. */
  due(nowMs: number, except: string[], limit: number): Promise<DueDelivery[]>
  /** Settles what is sent. False where alerts were added to the delivery in between, or it is gone. */
  settle(id: string, alertCount: number, message: string): Promise<boolean>
  /** Notes an attempt; one that failed is repeated at the moment that is given. */
  note(id: string, attempt: Attempt, nowMs: number, nextAttemptAtMs: number): Promise<void>
  /** Puts an attempt to reach a channel into its log. */
  noteTest(channel: NotificationChannel, id: string, attempt: Attempt, nowMs: number): Promise<Delivery>
  /** How many messages wait, of all Grids. */
  waiting(): Promise<number>
  /** Gives up what has waited since before this moment, and the oldest of a channel that has too many. */
  giveUp(createdBeforeMs: number): Promise<{ channel: NotificationChannel; count: number }[]>
}
