import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { AlertSeverity } from '../../domain/alert-rule.ts'
import type { Resolution } from '../alert-store.ts'
import type { AlertTransition } from '../notification-store.ts'
import type { ControlTables } from '../tables.ts'
import type { AlertRow } from './alert-row.ts'

type Tx = Transaction<ControlTables>

const ALERTS_PER_DELIVERY_MAX = 100
/** Changes of one channel that follow each other so closely go out together. */
const TOGETHER_WITHIN_MS = 60_000
const SERVICE_NAME_CHARS_MAX = 1024

/**
 * Puts into the outbox what is to be told and has not been: that alerts fire, and to whom that was told, that they ended.
 * What is silenced waits: told once the silence is over is what still fires then, and the end of what was told before.
 */
export async function putNotifications(tx: Tx, gridId: string, nowMs: number): Promise<void> {
  const alerts = await untoldAlerts(tx, gridId)
  if (alerts.length === 0) return
  const isSilenced = await silencedBy(tx, gridId, nowMs)
  const channelsOfRule = await channelsByRule(tx, gridId)
  const transitions = new Map<string, AlertTransition[]>()
  for (const alert of alerts) {
    if (nobodyIsTold(alert)) await noteTold(tx, alert, [])
    else if (!isSilenced(alert)) {
      const fires = alert.resolved_at_ms === null
      const channels: string[] = fires ? (channelsOfRule.get(alert.rule_id) ?? []) : JSON.parse(alert.notified_channels)
      for (const id of channels) transitions.set(id, [...(transitions.get(id) ?? []), transitionOf(alert)])
      await noteTold(tx, alert, channels)
    }
  }
  await putAll(tx, gridId, transitions, nowMs)
}

async function untoldAlerts(tx: Tx, gridId: string): Promise<AlertRow[]> {
  const unnotified = tx.selectFrom('alerts').selectAll().where('grid_id', '=', gridId).where('notified', '<', 2)
  const changed = unnotified.where((eb) => eb.or([eb('notified', '=', 0), eb('resolved_at_ms', 'is not', null)]))
  const momentOf = ({ triggered_at_ms, resolved_at_ms }: AlertRow) => resolved_at_ms ?? triggered_at_ms ?? 0
  const endsFirst = ({ resolved_at_ms }: AlertRow) => (resolved_at_ms === null ? 1 : 0)
  // Asked for in the statement, it would be answered from another index, which has all that ever fired.
  const fired = (await changed.execute()).filter(({ triggered_at_ms }) => triggered_at_ms !== null)
  return fired.sort((a, b) => momentOf(a) - momentOf(b) || endsFirst(a) - endsFirst(b))
}

/** It ended before anyone heard of it, or somebody takes care of it already. */
function nobodyIsTold({ notified, resolved_at_ms, acknowledged_at_ms }: AlertRow): boolean {
  return notified === 0 && (resolved_at_ms !== null || acknowledged_at_ms !== null)
}

async function silencedBy(tx: Tx, gridId: string, nowMs: number): Promise<(alert: AlertRow) => boolean> {
  const query = tx.selectFrom('silences').select(['rule_id', 'service_name']).where('grid_id', '=', gridId)
  const lasting = await query.where('starts_at_ms', '<=', nowMs).where('ends_at_ms', '>', nowMs).execute()
  return (alert) =>
    lasting.some(
      ({ rule_id, service_name }) =>
        (rule_id === null || rule_id === alert.rule_id) &&
        (service_name === null || service_name === alert.service_name),
    )
}

async function channelsByRule(tx: Tx, gridId: string): Promise<Map<string, string[]>> {
  const rules = await tx.selectFrom('alert_rules').select(['id', 'channels']).where('grid_id', '=', gridId).execute()
  return new Map(rules.map(({ id, channels }) => [id, JSON.parse(channels)]))
}

async function noteTold(tx: Tx, { id, resolved_at_ms }: AlertRow, channels: string[]): Promise<void> {
  const told = { notified: resolved_at_ms === null ? 1 : 2, notified_channels: JSON.stringify(channels) }
  await tx.updateTable('alerts').set(told).where('id', '=', id).execute()
}

function transitionOf(alert: AlertRow): AlertTransition {
  return {
    transition: alert.resolved_at_ms === null ? 'firing' : 'resolved',
    alertId: alert.id,
    ruleId: alert.rule_id,
    ruleName: alert.rule_name,
    metric: alert.metric,
    condition: alert.condition,
    severity: alert.severity as AlertSeverity,
    serviceName: alert.service_name.slice(0, SERVICE_NAME_CHARS_MAX),
    value: alert.value,
    sinceMs: alert.since_ms,
    triggeredAtMs: alert.triggered_at_ms ?? alert.since_ms,
    resolvedAtMs: alert.resolved_at_ms,
    resolution: alert.resolution as Resolution | null,
  }
}

async function putAll(tx: Tx, gridId: string, all: Map<string, AlertTransition[]>, nowMs: number): Promise<void> {
  if (all.size === 0) return
  const channels = await tx.selectFrom('channels').select('id').where('grid_id', '=', gridId).execute()
  for (const { id } of channels) {
    const transitions = all.get(id) ?? []
    for (let start = 0; start < transitions.length; start += ALERTS_PER_DELIVERY_MAX)
      await put(tx, id, transitions.slice(start, start + ALERTS_PER_DELIVERY_MAX), nowMs)
  }
}

async function put(tx: Tx, channelId: string, added: AlertTransition[], nowMs: number): Promise<void> {
  const waiting = tx.selectFrom('deliveries').selectAll().where('channel_id', '=', channelId)
  const last = await waiting.where('state', '=', 'waiting').orderBy('number', 'desc').limit(1).executeTakeFirst()
  const joins =
    last?.message === null &&
    nowMs - last.created_at_ms < TOGETHER_WITHIN_MS &&
    last.alert_count + added.length <= ALERTS_PER_DELIVERY_MAX
  if (joins) {
    const alerts = JSON.stringify([...JSON.parse(last.alerts), ...added])
    const change = { alerts, alert_count: last.alert_count + added.length }
    await tx.updateTable('deliveries').set(change).where('number', '=', last.number).execute()
    return
  }
  await tx
    .insertInto('deliveries')
    .values({
      id: randomUUID(),
      channel_id: channelId,
      kind: 'alerts',
      state: 'waiting',
      alerts: JSON.stringify(added),
      alert_count: added.length,
      message: null,
      created_at_ms: nowMs,
      attempts: 0,
      last_attempt_at_ms: null,
      next_attempt_at_ms: nowMs,
      delivered_at_ms: null,
      status_code: null,
      error: '',
    })
    .execute()
}
