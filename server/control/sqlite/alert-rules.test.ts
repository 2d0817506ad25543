import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AlertRuleSettings } from '../../domain/alert-rule.ts'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { AlreadyExists } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'
import { UNDO_DISK_SHARES } from './testing/undo-migrations.ts'

const NOW_MS = 1_800_000_000_000
const RULE: AlertRuleSettings = {
  name: 'Slow carts',
  metric: 'p95_latency',
  comparator: '>',
  threshold: 800,
  recoveryThreshold: 600.5,
  serviceName: 'cart',
  windowMinutes: 10,
  durationMinutes: 3,
  holdMinutes: 4,
  minRequests: 50,
  severity: 'critical',
  noData: 'resolve',
  channels: ['mail', 'pager'],
  enabled: true,
}

let control: ControlStoreWithAuthority
let gridId: string

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
})
afterEach(() => control.close())

const settings = (rules: AlertRuleSettings[]) =>
  rules.map(({ name, metric, comparator, threshold, durationMinutes, severity }) =>
    [name, metric, comparator, threshold, durationMinutes, severity].join(' '),
  )

const DEFAULTS = [
  'Elevated Latency p95_latency > 2000 2 warning',
  'High Error Rate error_rate > 5 2 critical',
  'Low Apdex apdex < 0.5 5 warning',
  'Service Silent silence >= 5 0 warning',
]

describe('the default rules', () => {
  it('are in every new Grid, each for every service', async () => {
    const rules = await control.alerts.rules.list(gridId)
    expect(settings(rules)).toEqual(DEFAULTS)
    for (const rule of rules) {
      expect(rule).toMatchObject({
        serviceName: null,
        windowMinutes: 5,
        minRequests: 20,
        recoveryThreshold: rule.threshold,
        noData: 'keep',
        enabled: true,
      })
    }
  })

  it('are given to Grids that were there before rules were', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'control-'))
    const path = join(folder, 'control.db')
    const first = await openSqliteControlStore(path)
    const old = await first.grids.create({ name: 'Old' })
    await first.close()
    const database = new Database(path)
    database.pragma('foreign_keys = OFF')
    const before = "'grids', 'api_keys', 'users', 'sign_in_failures', 'clients', 'members', 'settings', 'oidc_payloads'"
    const later = database
      .prepare(
        `select name from sqlite_master where type = 'table' and name not in (${before}) and name not like 'kysely%' and name not like 'sqlite%'`,
      )
      .all() as { name: string }[]
    for (const { name } of later) database.exec(`drop table ${name}`)
    database.exec(UNDO_DISK_SHARES)
    database.exec("delete from kysely_migration where name >= '0006'")
    database.close()

    const second = await openSqliteControlStore(path)
    const created = await second.grids.create({ name: 'New' })
    const rulesOf = async (id: string) =>
      (await second.alerts.rules.list(id)).map(({ id: _, gridId: __, createdAtMs, updatedAtMs, ...rule }) => rule)
    expect(await rulesOf(old.id)).toEqual(await rulesOf(created.id))
    expect(settings(await second.alerts.rules.list(old.id))).toEqual(DEFAULTS)
    await second.close()
    await rm(folder, { recursive: true, force: true })
  })
})

describe('a rule', () => {
  it('is kept with everything that was set', async () => {
    const rule = await control.alerts.rules.create(gridId, RULE)
    expect(rule).toMatchObject({ ...RULE, gridId, revision: 1 })
    expect(await control.alerts.rules.find(gridId, rule.id)).toEqual(rule)
    const other = (await control.grids.create({ name: 'Other' })).id
    expect(await control.alerts.rules.find(other, rule.id)).toBeUndefined()
  })

  it('is changed as a whole', async () => {
    const { id, createdAtMs } = await control.alerts.rules.create(gridId, RULE)
    const change = { ...RULE, serviceName: null, channels: [], enabled: false, threshold: 900 }
    const changed = await control.alerts.rules.update(gridId, id, change, NOW_MS)
    expect(changed).toEqual({ ...change, id, gridId, revision: 2, createdAtMs, updatedAtMs: NOW_MS })
    expect(await control.alerts.rules.find(gridId, id)).toEqual(changed)
    expect(await control.alerts.rules.update(gridId, 'nothing', change, NOW_MS)).toBeUndefined()
  })

  it('is removed', async () => {
    const { id } = await control.alerts.rules.create(gridId, RULE)
    expect(await control.alerts.rules.remove(gridId, id, NOW_MS)).toBe(true)
    expect(await control.alerts.rules.remove(gridId, id, NOW_MS)).toBe(false)
    expect(await control.alerts.rules.find(gridId, id)).toBeUndefined()
  })

  it('has a name of its own in its Grid', async () => {
    const { id } = await control.alerts.rules.create(gridId, RULE)
    await expect(control.alerts.rules.create(gridId, RULE)).rejects.toThrow(AlreadyExists)
    const other = await control.alerts.rules.create(gridId, { ...RULE, name: 'Other' })
    await expect(control.alerts.rules.update(gridId, other.id, RULE, NOW_MS)).rejects.toThrow(AlreadyExists)
    expect(await control.alerts.rules.update(gridId, id, RULE, NOW_MS)).toMatchObject({ revision: 2 })
  })

  it('is one of at most 200', async () => {
    for (let i = 0; i < 196; i++) await control.alerts.rules.create(gridId, { ...RULE, name: `Rule ${i}` })
    await expect(control.alerts.rules.create(gridId, RULE)).rejects.toThrow('A Grid may have at most 200 alert rules.')
    const other = (await control.grids.create({ name: 'Other' })).id
    await control.alerts.rules.create(other, RULE)
  })

  it.each([
    ['an error rate beyond 100 %', { metric: 'error_rate', threshold: 101, recoveryThreshold: 5 }],
    ['an Apdex beyond 1', { metric: 'apdex', comparator: '<', threshold: 0.5, recoveryThreshold: 1.1 }],
    ['a silence of no time', { metric: 'silence', threshold: 0, recoveryThreshold: 0 }],
    ['a silence of little', { metric: 'silence', comparator: '<', threshold: 5, recoveryThreshold: 5 }],
    ['a recovery on the wrong side', { threshold: 800, recoveryThreshold: 801 }],
    ['a recovery below where little is bad', { comparator: '<', threshold: 800, recoveryThreshold: 799 }],
    ['a window of no time', { windowMinutes: 0 }],
    ['a part of a minute', { durationMinutes: 1.5 }],
    ['no hold', { holdMinutes: 0 }],
    ['a name that is too long', { name: 'x'.repeat(201) }],
    ['an endless number', { metric: 'queue', threshold: Number.POSITIVE_INFINITY }],
    ['a Grid that does not exist', { gridId: '00000000-0000-4000-8000-000000000000' }],
  ] as const)('refuses %s', async (_what, change) => {
    const grid = 'gridId' in change ? change.gridId : gridId
    await expect(control.alerts.rules.create(grid, { ...RULE, ...change })).rejects.toThrow(RecordRefused)
  })
})
