import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AlertRule } from '../../domain/alert-rule.ts'
import type { Alert, AlertChange } from '../alert-store.ts'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { saveAlertChanges } from './alert-changes.ts'
import { createAlerts } from './alerts.ts'
import { closeDatabase, openDatabase } from './database.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000
const MINUTE_MS = 60_000

let control: ControlStoreWithAuthority
let gridId: string
let rule: AlertRule

async function ruleCalled(name: string): Promise<AlertRule> {
  const found = (await control.alerts.rules.list(gridId)).find((each) => each.name === name)
  if (!found) throw new Error(`There is no rule ${name}.`)
  return found
}

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
  rule = await ruleCalled('High Error Rate')
})
afterEach(() => control.close())

function opened(serviceName: string, change: Partial<Extract<AlertChange, { kind: 'open' }>> = {}): AlertChange {
  const common = { kind: 'open', rule, condition: 'error_rate > 5%', serviceName } as const
  return { ...common, sinceMs: NOW_MS - MINUTE_MS, triggeredAtMs: NOW_MS, value: 12.5, ...change }
}

function carried(alert: Alert, change: Partial<Extract<AlertChange, { kind: 'carry' }>>): AlertChange {
  const { id, sinceMs, triggeredAtMs, value, judgedAtMs, recoveringSinceMs } = alert
  return { kind: 'carry', id, sinceMs, triggeredAtMs, value, judgedAtMs, recoveringSinceMs, ...change }
}

async function fired(serviceName = 'cart', atMs = NOW_MS): Promise<Alert> {
  await control.alerts.save(gridId, [opened(serviceName, { triggeredAtMs: atMs })], atMs)
  const alert = (await control.alerts.unresolved(gridId)).find((each) => each.serviceName === serviceName)
  if (!alert) throw new Error('Nothing was opened.')
  return alert
}

const resolved = ({ id }: Alert, atMs: number): AlertChange => ({
  kind: 'resolve',
  id,
  resolvedAtMs: atMs,
  resolution: 'recovered',
  value: 1,
})

const servicesAt = async (atMs: number) =>
  (await control.alerts.activeAt(gridId, atMs)).map(({ serviceName }) => serviceName)

describe('an alert', () => {
  it('is pending, then fires under the same id, and is resolved', async () => {
    await control.alerts.save(gridId, [opened('cart', { triggeredAtMs: null })], NOW_MS)
    const [pending] = await control.alerts.unresolved(gridId)
    if (!pending) throw new Error('Nothing was opened.')
    expect(pending).toMatchObject({
      status: 'pending',
      triggeredAtMs: null,
      ruleName: 'High Error Rate',
      ruleId: rule.id,
    })
    expect(await control.alerts.activeAt(gridId, NOW_MS)).toEqual([])

    const fires = carried(pending, { triggeredAtMs: NOW_MS + MINUTE_MS, value: 30, judgedAtMs: NOW_MS + MINUTE_MS })
    await control.alerts.save(gridId, [fires], NOW_MS + MINUTE_MS)
    expect(await control.alerts.find(gridId, pending.id)).toMatchObject({ status: 'firing', value: 30 })

    await control.alerts.save(gridId, [resolved(pending, NOW_MS + 9 * MINUTE_MS)], NOW_MS + 9 * MINUTE_MS)
    expect(await control.alerts.unresolved(gridId)).toEqual([])
    expect(await control.alerts.find(gridId, pending.id)).toMatchObject({
      status: 'resolved',
      triggeredAtMs: NOW_MS + MINUTE_MS,
      resolvedAtMs: NOW_MS + 9 * MINUTE_MS,
      resolution: 'recovered',
      value: 1,
    })
  })

  it('leaves no trace where it was only pending', async () => {
    await control.alerts.save(gridId, [opened('cart', { triggeredAtMs: null })], NOW_MS)
    const [pending] = await control.alerts.unresolved(gridId)
    await control.alerts.save(gridId, [{ kind: 'drop', id: pending?.id ?? '' }], NOW_MS)
    expect(await control.alerts.unresolved(gridId)).toEqual([])
    const firing = await fired()
    await control.alerts.save(gridId, [{ kind: 'drop', id: firing.id }], NOW_MS)
    expect(await control.alerts.unresolved(gridId)).toEqual([firing])
  })

  it('has another id when it fires again, and only one at a time', async () => {
    const first = await fired()
    await control.alerts.save(gridId, [opened('cart')], NOW_MS)
    expect(await control.alerts.unresolved(gridId)).toEqual([first])
    await control.alerts.save(gridId, [resolved(first, NOW_MS + MINUTE_MS)], NOW_MS)
    const second = await fired('cart', NOW_MS + 2 * MINUTE_MS)
    expect(second.id).not.toBe(first.id)
    expect((await control.alerts.list(gridId, { offset: 0, limit: 10 })).items.map(({ id }) => id)).toEqual([
      second.id,
      first.id,
    ])
  })

  it('is kept over a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'control-'))
    const path = join(folder, 'control.db')
    await control.close()
    control = await openSqliteControlStore(path)
    gridId = (await control.grids.create({ name: 'Shop' })).id
    rule = await ruleCalled('High Error Rate')
    const firing = await fired('cart')
    await control.alerts.acknowledge(gridId, firing.id, 'ann', 'looking', NOW_MS + 1)
    const before = await control.alerts.unresolved(gridId)
    await control.close()
    control = await openSqliteControlStore(path)
    expect(await control.alerts.unresolved(gridId)).toEqual(before)
    expect(before).toMatchObject([{ id: firing.id, triggeredAtMs: NOW_MS, status: 'acknowledged' }])
    await rm(folder, { recursive: true, force: true })
  })

  it('is not opened for a rule that was changed or removed in the meantime', async () => {
    await control.alerts.rules.update(gridId, rule.id, { ...rule, name: 'Renamed' }, NOW_MS)
    await control.alerts.save(gridId, [opened('cart')], NOW_MS)
    expect(await control.alerts.unresolved(gridId)).toEqual([])
    rule = await ruleCalled('Renamed')
    await control.alerts.rules.remove(gridId, rule.id, NOW_MS)
    await control.alerts.save(gridId, [opened('cart')], NOW_MS)
    expect(await control.alerts.unresolved(gridId)).toEqual([])
  })

  it('stays resolved, whatever a look that began before has found', async () => {
    const firing = await fired()
    await control.alerts.rules.remove(gridId, rule.id, NOW_MS + 1)
    await control.alerts.save(gridId, [carried(firing, { value: 99 }), resolved(firing, NOW_MS + 5)], NOW_MS + 5)
    expect(await control.alerts.find(gridId, firing.id)).toMatchObject({
      resolvedAtMs: NOW_MS + 1,
      resolution: 'rule removed',
      value: 12.5,
    })
  })
})

describe('a changed rule', () => {
  it.each([
    ['threshold', { threshold: 6, recoveryThreshold: 6 }],
    ['service', { serviceName: 'shop' }],
    ['being enabled', { enabled: false }],
  ])('ends its alerts where it is the %s that changed', async (_what, change) => {
    const firing = await fired()
    await control.alerts.save(gridId, [opened('shop', { triggeredAtMs: null })], NOW_MS)
    await control.alerts.rules.update(gridId, rule.id, { ...rule, ...change }, NOW_MS + 1)
    expect(await control.alerts.unresolved(gridId)).toEqual([])
    expect(await control.alerts.find(gridId, firing.id)).toMatchObject({ resolution: 'rule changed' })
  })

  it('goes on with its alerts where it judges the same', async () => {
    const firing = await fired()
    const change = { ...rule, name: 'Many errors', severity: 'warning' as const, holdMinutes: 9, channels: ['a'] }
    await control.alerts.rules.update(gridId, rule.id, change, NOW_MS + 1)
    expect(await control.alerts.unresolved(gridId)).toEqual([firing])
  })
})

describe('the active alerts', () => {
  it('are critical first, newest first', async () => {
    const silent = await ruleCalled('Service Silent')
    await control.alerts.save(gridId, [opened('a', { rule: silent, triggeredAtMs: NOW_MS + 9 })], NOW_MS)
    await control.alerts.save(gridId, [opened('b'), opened('c', { triggeredAtMs: NOW_MS + 5 })], NOW_MS)
    expect(await servicesAt(NOW_MS + 10)).toEqual(['c', 'b', 'a'])
  })

  it('are told as they were at a moment of the past', async () => {
    const alert = await fired()
    const at = (minutes: number) => NOW_MS + minutes * MINUTE_MS
    const value = (minutes: number, rate: number) => carried(alert, { value: rate, judgedAtMs: at(minutes) })
    await control.alerts.save(gridId, [value(1, 20)], at(1))
    await control.alerts.acknowledge(gridId, alert.id, 'ann', '', at(2))
    await control.alerts.save(gridId, [value(3, 40)], at(3))
    await control.alerts.save(gridId, [resolved(alert, at(5))], at(5))
    const told = async (minutes: number) =>
      (await control.alerts.activeAt(gridId, at(minutes))).map((each) => [each.status, each.value, each.acknowledgedBy])
    expect(await told(-0.01)).toEqual([])
    expect(await told(0)).toEqual([['firing', 12.5, '']])
    expect(await told(1.5)).toEqual([['firing', 20, '']])
    expect(await told(2)).toEqual([['acknowledged', 20, 'ann']])
    expect(await told(4.99)).toEqual([['acknowledged', 40, 'ann']])
    expect(await told(5)).toEqual([])
  })

  it('show the newest value now, though only one a minute is remembered', async () => {
    const alert = await fired()
    for (const seconds of [15, 30, 45, 60, 75]) {
      const atMs = NOW_MS + seconds * 1000
      await control.alerts.save(gridId, [carried(alert, { value: seconds, judgedAtMs: atMs })], atMs)
    }
    const valueAt = async (seconds: number) =>
      (await control.alerts.activeAt(gridId, NOW_MS + seconds * 1000))[0]?.value
    expect([await valueAt(80), await valueAt(74), await valueAt(59)]).toEqual([75, 60, 12.5])
  })

  it('are those of the Grid alone', async () => {
    await fired()
    const other = (await control.grids.create({ name: 'Other' })).id
    expect(await control.alerts.activeAt(other, NOW_MS)).toEqual([])
    expect(await control.alerts.unresolved(other)).toEqual([])
  })
})

describe('an acknowledgement', () => {
  it('stays over later looks, and the first one counts', async () => {
    const alert = await fired()
    const acknowledged = await control.alerts.acknowledge(gridId, alert.id, 'ann', 'looking', NOW_MS + 7)
    expect(acknowledged).toMatchObject({
      status: 'acknowledged',
      acknowledgedBy: 'ann',
      acknowledgementNote: 'looking',
    })
    expect(await control.alerts.acknowledge(gridId, alert.id, 'bob', '', NOW_MS + 8)).toEqual(acknowledged)
    await control.alerts.save(gridId, [carried(alert, { value: 3 })], NOW_MS + 9)
    expect(await control.alerts.find(gridId, alert.id)).toMatchObject({
      status: 'acknowledged',
      acknowledgedAtMs: NOW_MS + 7,
    })
  })

  it('is refused for what does not fire', async () => {
    const alert = await fired()
    await control.alerts.save(gridId, [opened('shop', { triggeredAtMs: null }), resolved(alert, NOW_MS)], NOW_MS)
    const [pending] = await control.alerts.unresolved(gridId)
    for (const id of [alert.id, pending?.id ?? '', 'nothing']) {
      expect(await control.alerts.acknowledge(gridId, id, 'ann', '', NOW_MS)).toBeUndefined()
    }
  })
})

describe('the history', () => {
  it('is told in pages, newest first, by status, service and rule', async () => {
    const first = await fired('a', NOW_MS)
    await fired('b', NOW_MS + 1)
    const acknowledged = await fired('c', NOW_MS + 2)
    await control.alerts.save(gridId, [opened('d', { triggeredAtMs: null }), resolved(first, NOW_MS + 3)], NOW_MS + 3)
    await control.alerts.acknowledge(gridId, acknowledged.id, 'ann', '', NOW_MS + 4)
    const services = async (filter: object) => {
      const { items, totalCount } = await control.alerts.list(gridId, { offset: 0, limit: 2, ...filter })
      return [totalCount, ...items.map(({ serviceName }) => serviceName)]
    }
    expect(await services({})).toEqual([3, 'c', 'b'])
    expect(await services({ offset: 2 })).toEqual([3, 'a'])
    expect(await services({ offset: 200 })).toEqual([3])
    expect(await services({ status: 'active' })).toEqual([2, 'c', 'b'])
    expect(await services({ status: 'firing' })).toEqual([1, 'b'])
    expect(await services({ status: 'acknowledged' })).toEqual([1, 'c'])
    expect(await services({ status: 'resolved' })).toEqual([1, 'a'])
    expect(await services({ status: 'pending' })).toEqual([1, 'd'])
    expect(await services({ serviceName: 'b' })).toEqual([1, 'b'])
    expect(await services({ ruleId: 'another' })).toEqual([0])
  })

  it('ends where the Grid no longer keeps it', async () => {
    const old = await fired('old')
    const recent = await fired('recent')
    await fired('active')
    await control.alerts.save(gridId, [resolved(old, NOW_MS + 1), resolved(recent, NOW_MS + 2)], NOW_MS + 2)
    await control.alerts.prune(gridId, NOW_MS + 2)
    const { items } = await control.alerts.list(gridId, { offset: 0, limit: 9 })
    expect(items.map(({ serviceName }) => serviceName).sort()).toEqual(['active', 'recent'])
  })
})

describe('what is to be told', () => {
  it('is each firing and each resolution, until it was', async () => {
    await control.alerts.save(gridId, [opened('pending', { triggeredAtMs: null })], NOW_MS)
    const alert = await fired()
    const untold = await control.alerts.untold(gridId)
    expect(untold).toEqual([alert])
    await control.alerts.told(untold)
    expect(await control.alerts.untold(gridId)).toEqual([])
    await control.alerts.save(gridId, [resolved(alert, NOW_MS + 1)], NOW_MS + 1)
    const again = await control.alerts.untold(gridId)
    expect(again).toMatchObject([{ id: alert.id, status: 'resolved' }])
    await control.alerts.told(again)
    expect(await control.alerts.untold(gridId)).toEqual([])
  })
})

it('remembers when somebody last looked', async () => {
  expect(await control.alerts.lookedAtMs()).toBeUndefined()
  await control.alerts.noteLook(NOW_MS)
  await control.alerts.noteLook(NOW_MS + 5)
  expect(await control.alerts.lookedAtMs()).toBe(NOW_MS + 5)
})

describe('limits', () => {
  it('leave room for what is most urgent', async () => {
    await control.close()
    const db = await openDatabase(':memory:')
    control = await openSqliteControlStore(':memory:')
    await db
      .insertInto('grids')
      .values({
        id: gridId,
        name: 'Shop',
        created_at_ms: 0,
        plan: 'x',
        subscription_state: 'active',
        raw_retention_days: 7,
        aggregate_retention_days: 90,
        disk_share_percent: null,
        records_from_ms: 0,
        rate_limit_caller: null,
        rate_limit_grid: null,
        ingest_quota: null,
        apdex: '{}',
      })
      .execute()
    const alerts = createAlerts(db, { activeMax: 9, resolvedPerGridMax: 2, untoldMax: 9 })
    rule = await alerts.rules.create(gridId, rule)
    const mild = await alerts.rules.create(gridId, { ...rule, name: 'Mild', severity: 'warning' })
    const many = [
      opened('pending', { triggeredAtMs: null }),
      opened('mild', { rule: mild }),
      opened('first'),
      opened('second'),
    ]
    expect(await saveAlertChanges(db, gridId, many, NOW_MS, 3)).toBe(1)
    expect((await alerts.activeAt(gridId, NOW_MS)).map(({ serviceName }) => serviceName).sort()).toEqual([
      'first',
      'mild',
      'second',
    ])
    const ends = (await alerts.unresolved(gridId)).map((alert, i) => resolved(alert, NOW_MS + i))
    await alerts.save(gridId, ends, NOW_MS + 9)
    await alerts.prune(gridId, 0)
    expect((await alerts.list(gridId, { offset: 0, limit: 9 })).totalCount).toBe(2)
    await closeDatabase(db)
  })
})
