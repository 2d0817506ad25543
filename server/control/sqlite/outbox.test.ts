import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { NotificationChannel } from '../../domain/notification-channel.ts'
import { type AlertFixture, createAlertFixture } from '../../notify/testing/alert-fixture.ts'
import type { ControlStore } from '../control-store.ts'
import type { Outbox } from '../notification-store.ts'
import { createAlerts } from './alerts.ts'
import { createChannels } from './channels.ts'
import { type ControlDatabase, closeDatabase, openDatabase } from './database.ts'
import { createGrids } from './grids.ts'
import { KeyCache } from './key-cache.ts'
import { openSqliteControlStore } from './open-control-store.ts'
import { createOutbox } from './outbox.ts'
import { UNDO_NOTIFICATIONS } from './testing/undo-migrations.ts'

const MINUTE_MS = 60_000

let db: ControlDatabase
let outbox: Outbox
let grid: AlertFixture
let channel: NotificationChannel
let channels: ControlStore['channels']

beforeEach(async () => {
  db = await openDatabase(':memory:')
  channels = createChannels(db)
  outbox = createOutbox(db, { waitingPerChannelMax: 3, settledPerChannelMax: 2 })
  grid = await createAlertFixture({ grids: createGrids(db, new KeyCache()), alerts: createAlerts(db), channels })
  channel = await grid.addChannel({ kind: 'webhook', url: 'https://a.example' })
})
afterEach(() => closeDatabase(db))

const states = async () => {
  const { items } = await channels.deliveries(grid.gridId, channel.id, { offset: 0, limit: 100 })
  return items.toReversed().map(({ state, alerts }) => `${alerts[0]?.serviceName} ${state}`)
}
const fireEachMinute = async (...services: string[]) => {
  for (const [n, service] of services.entries()) await grid.fire([service], (n + 1) * MINUTE_MS)
}

it('lets only the oldest message of a channel out, and that only when its time has come', async () => {
  await fireEachMinute('a', 'b')
  const due = async (nowMs: number) => (await outbox.due(nowMs, [], 8)).map(({ alerts }) => alerts[0]?.serviceName)
  expect(await due(MINUTE_MS - 1)).toEqual([])
  expect(await due(5 * MINUTE_MS)).toEqual(['a'])
  expect(await outbox.due(5 * MINUTE_MS, [channel.id], 8)).toEqual([])
  const [first] = await outbox.due(5 * MINUTE_MS, [], 8)
  const failed = { delivered: false, statusCode: 503, error: 'no' }
  await outbox.note(first?.id ?? '', failed, 5 * MINUTE_MS, 9 * MINUTE_MS)
  expect(await due(8 * MINUTE_MS)).toEqual([])
  await outbox.note(first?.id ?? '', { ...failed, delivered: true }, 9 * MINUTE_MS, 9 * MINUTE_MS)
  expect(await due(8 * MINUTE_MS)).toEqual(['b'])
})

it('adds to a message that nobody has seen yet, and to no other', async () => {
  await grid.fire(['a'], MINUTE_MS)
  await grid.fire(['b'], MINUTE_MS + 1)
  const [first] = await outbox.due(MINUTE_MS + 1, [], 8)
  expect(first?.alerts.map(({ serviceName }) => serviceName)).toEqual(['a', 'b'])
  expect(await outbox.settle(first?.id ?? '', 1, 'of a alone')).toBe(false)
  expect(await outbox.settle(first?.id ?? '', 2, 'of both')).toBe(true)
  await grid.fire(['c'], MINUTE_MS + 2)
  expect(await states()).toEqual(['a waiting', 'c waiting'])
})

it('is of bounded size: the oldest of too many messages is given up, and the log is short', async () => {
  await fireEachMinute('a', 'b', 'c', 'd', 'e', 'f')
  expect(await outbox.giveUp(0)).toMatchObject([{ channel: { id: channel.id }, count: 3 }])
  expect(await states()).toEqual(['b given up', 'c given up', 'd waiting', 'e waiting', 'f waiting'])
  expect(await outbox.giveUp(0)).toEqual([])
  expect(await outbox.giveUp(6 * MINUTE_MS)).toMatchObject([{ count: 2 }])
  expect(await states()).toEqual(['d given up', 'e given up', 'f waiting'])
})

it('holds nothing of a look whose changes could not be kept', async () => {
  const { rule } = grid
  const opened = { kind: 'open', rule, condition: '', sinceMs: 1, triggeredAtMs: 1, value: 1 } as const
  const broken = { kind: 'carry', id: 'x', sinceMs: Number.NaN, triggeredAtMs: 1, value: 1 } as const
  const changes = [
    { ...opened, serviceName: 'a' },
    { ...broken, judgedAtMs: 1, recoveringSinceMs: null },
  ]
  await expect(createAlerts(db).save(grid.gridId, changes, 1)).rejects.toThrow('not finite')
  expect(await createAlerts(db).unresolved(grid.gridId)).toEqual([])
  expect(await states()).toEqual([])
})

it('tells nobody of alerts that fired before there were channels', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'control-'))
  const path = join(folder, 'control.db')
  const first = await openSqliteControlStore(path)
  const before = await createAlertFixture(first)
  await before.fire(['a', 'b'], MINUTE_MS)
  await before.resolve(['b'], 2 * MINUTE_MS)
  await first.close()
  const database = new Database(path)
  database.exec(`update alert_rules set channels = '["made up"]'; ${UNDO_NOTIFICATIONS}`)
  database.close()

  const second = await openSqliteControlStore(path)
  const target = { kind: 'webhook' as const, url: 'https://a.example' }
  const made = await second.channels.create(before.gridId, { name: 'Pager', target, secret: 'x' })
  const rule = { ...before.rule, channels: [made.id] }
  expect((await second.alerts.rules.find(before.gridId, rule.id))?.channels).toEqual([])
  await second.alerts.rules.update(before.gridId, rule.id, rule, 3 * MINUTE_MS)
  await second.alerts.rules.remove(before.gridId, rule.id, 4 * MINUTE_MS)
  await second.alerts.save(before.gridId, [], 5 * MINUTE_MS)
  expect(await second.outbox.due(6 * MINUTE_MS, [], 8)).toEqual([])
  await second.close()
  await rm(folder, { recursive: true, force: true })
})
