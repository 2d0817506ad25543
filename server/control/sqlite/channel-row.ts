import type { Selectable } from 'kysely'
import type { NotificationChannel } from '../../domain/notification-channel.ts'
import type { Delivery, DeliveryState } from '../notification-store.ts'
import type { ControlTables } from '../tables.ts'

export type ChannelRow = Selectable<ControlTables['channels']>
export type DeliveryRow = Selectable<ControlTables['deliveries']>

export function channelOf(row: Omit<ChannelRow, 'secret'>): NotificationChannel {
  return {
    id: row.id,
    gridId: row.grid_id,
    name: row.name,
    target: JSON.parse(row.target),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    kind: row.kind as Delivery['kind'],
    state: row.state as DeliveryState,
    createdAtMs: row.created_at_ms,
    attempts: row.attempts,
    lastAttemptAtMs: row.last_attempt_at_ms,
    nextAttemptAtMs: row.state === 'waiting' ? row.next_attempt_at_ms : null,
    deliveredAtMs: row.delivered_at_ms,
    statusCode: row.status_code,
    error: row.error,
    alerts: JSON.parse(row.alerts),
  }
}
