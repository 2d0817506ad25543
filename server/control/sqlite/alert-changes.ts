import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { AlertChange } from '../alert-store.ts'
import type { ControlTables } from '../tables.ts'
import { putNotifications } from './alert-notifications.ts'
import type { ControlDatabase } from './database.ts'

type Change<Kind extends AlertChange['kind']> = Extract<AlertChange, { kind: Kind }>
type Tx = Transaction<ControlTables>

const UNRESOLVED_PER_GRID_MAX = 1000
const MS_PER_MINUTE = 60_000
const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 86_400_000

/** Makes the changes that a look has found, puts what is to be told of them into the outbox, and resolves to how many alerts there was no room for. */
export async function saveAlertChanges(
  db: ControlDatabase,
  gridId: string,
  changes: AlertChange[],
  nowMs: number,
  unresolvedMax = UNRESOLVED_PER_GRID_MAX,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    for (const change of changes) {
      if (change.kind === 'carry') await carry(tx, gridId, change, nowMs)
      if (change.kind === 'drop') await drop(tx, gridId, change)
      if (change.kind === 'resolve') await resolve(tx, gridId, change)
    }
    const opened = changes.filter((change) => change.kind === 'open')
    const leftOut = await openAll(tx, gridId, opened, nowMs, unresolvedMax)
    await putNotifications(tx, gridId, nowMs)
    return leftOut
  })
}

async function carry(tx: Tx, gridId: string, change: Change<'carry'>, nowMs: number): Promise<void> {
  const result = await tx
    .updateTable('alerts')
    .set({
      since_ms: change.sinceMs,
      triggered_at_ms: change.triggeredAtMs,
      value: change.value,
      judged_at_ms: change.judgedAtMs,
      recovering_since_ms: change.recoveringSinceMs,
    })
    .where('grid_id', '=', gridId)
    .where('id', '=', change.id)
    .where('resolved_at_ms', 'is', null)
    .executeTakeFirst()
  if (result.numUpdatedRows > 0n && change.triggeredAtMs !== null)
    await noteValue(tx, change.id, change.triggeredAtMs, change.value, nowMs)
}

/** Each new value, at most one a minute; after a day one an hour, so that an alert nobody cares for stays small. */
async function noteValue(tx: Tx, alertId: string, triggeredAtMs: number, value: number, nowMs: number): Promise<void> {
  const noted = tx.selectFrom('alert_values').select(['at_ms', 'value']).where('alert_id', '=', alertId)
  const last = await noted.orderBy('at_ms', 'desc').limit(1).executeTakeFirst()
  const pauseMs = nowMs - triggeredAtMs < MS_PER_DAY ? MS_PER_MINUTE : MS_PER_HOUR
  if (last !== undefined && (last.value === value || nowMs - last.at_ms < pauseMs)) return
  await tx.insertInto('alert_values').values({ alert_id: alertId, at_ms: nowMs, value }).execute()
}

async function drop(tx: Tx, gridId: string, { id }: Change<'drop'>): Promise<void> {
  const pending = tx.deleteFrom('alerts').where('grid_id', '=', gridId).where('id', '=', id)
  await pending.where('triggered_at_ms', 'is', null).execute()
}

async function resolve(tx: Tx, gridId: string, change: Change<'resolve'>): Promise<void> {
  const { id, resolvedAtMs, resolution, value } = change
  await tx
    .updateTable('alerts')
    .set({ resolved_at_ms: resolvedAtMs, resolution, value, recovering_since_ms: null })
    .where('grid_id', '=', gridId)
    .where('id', '=', id)
    .where('resolved_at_ms', 'is', null)
    .execute()
}

async function openAll(
  tx: Tx,
  gridId: string,
  opened: Change<'open'>[],
  nowMs: number,
  unresolvedMax: number,
): Promise<number> {
  if (opened.length === 0) return 0
  const judged = await tx.selectFrom('alert_rules').select(['id', 'revision']).where('grid_id', '=', gridId).execute()
  const revisions = new Map(judged.map(({ id, revision }) => [id, revision]))
  const valid = opened.filter(({ rule }) => revisions.get(rule.id) === rule.revision).sort(mostUrgentFirst)
  const query = tx.selectFrom('alerts').select(({ fn }) => fn.countAll<number>().as('count'))
  const { count } = await query
    .where('grid_id', '=', gridId)
    .where('resolved_at_ms', 'is', null)
    .executeTakeFirstOrThrow()
  const room = Math.max(0, unresolvedMax - count)
  for (const change of valid.slice(0, room)) await open(tx, gridId, change, nowMs)
  return Math.max(0, valid.length - room)
}

function mostUrgentFirst(a: Change<'open'>, b: Change<'open'>): number {
  const urgency = ({ triggeredAtMs, rule }: Change<'open'>) =>
    (triggeredAtMs === null ? 0 : 2) + (rule.severity === 'critical' ? 1 : 0)
  return urgency(b) - urgency(a)
}

async function open(tx: Tx, gridId: string, change: Change<'open'>, nowMs: number): Promise<void> {
  const id = randomUUID()
  const result = await tx
    .insertInto('alerts')
    .values({
      id,
      grid_id: gridId,
      rule_id: change.rule.id,
      rule_name: change.rule.name,
      metric: change.rule.metric,
      condition: change.condition,
      severity: change.rule.severity,
      service_name: change.serviceName,
      since_ms: change.sinceMs,
      triggered_at_ms: change.triggeredAtMs,
      value: change.value,
      judged_at_ms: nowMs,
      recovering_since_ms: null,
      acknowledged_at_ms: null,
      acknowledged_by: '',
      acknowledgement_note: '',
      resolved_at_ms: null,
      resolution: null,
      told: 0,
      notified: 0,
      notified_channels: '[]',
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (result.numInsertedOrUpdatedRows === 0n || change.triggeredAtMs === null) return
  await noteValue(tx, id, change.triggeredAtMs, change.value, nowMs)
}
