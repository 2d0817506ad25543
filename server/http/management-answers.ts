import type { Static } from 'typebox'
import type { AuditEntry } from '../control/audit-log.ts'
import type { ApiKey, Client, Grid, Member, Role, User } from '../control/control-store.ts'
import type { auditEntry } from './schemas/audit.ts'
import type * as schemas from './schemas/management.ts'

export function gridAnswer(grid: Grid, role: Role): Static<typeof schemas.grid> {
  return {
    gridSecondaryId: grid.id,
    name: grid.name,
    role,
    createdAt: isoOfMs(grid.createdAtMs),
    subscription: { plan: grid.plan, state: grid.subscriptionState },
    retention: {
      rawDays: grid.rawRetentionDays,
      aggregateDays: grid.aggregateRetentionDays,
      diskSharePercent: grid.diskSharePercent,
    },
    limits: {
      requestsPerMinuteCaller: grid.rateLimitCaller,
      requestsPerMinuteGrid: grid.rateLimitGrid,
      recordsPerSecond: grid.ingestQuota,
    },
    apdex: { defaultMs: grid.apdex.defaultMs, services: grid.apdex.byService },
  }
}

export function keyAnswer(key: ApiKey): Static<typeof schemas.key> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    role: key.role,
    scopes: key.scopes,
    createdAt: isoOfMs(key.createdAtMs),
    expiresAt: key.expiresAtMs === null ? null : isoOfMs(key.expiresAtMs),
    revokedAt: key.revokedAtMs === null ? null : isoOfMs(key.revokedAtMs),
  }
}

export function memberAnswer({ subject, role, createdAtMs }: Member): Static<typeof schemas.member> {
  return { subject, role, createdAt: isoOfMs(createdAtMs) }
}

export function userAnswer({ id, email, name, admin, createdAtMs }: User): Static<typeof schemas.user> {
  return { id, email, name, admin, createdAt: isoOfMs(createdAtMs) }
}

export function clientAnswer({ id, name, admin, createdAtMs }: Client): Static<typeof schemas.client> {
  return { id, name, admin, createdAt: isoOfMs(createdAtMs) }
}

export function auditAnswer({ atMs, gridId, ...entry }: AuditEntry): Static<typeof auditEntry> {
  return { ...entry, at: isoOfMs(atMs), gridSecondaryId: gridId }
}

export function listAnswer<Item>(items: Item[]): { items: Item[]; totalCount: number } {
  return { items, totalCount: items.length }
}

export function isoOfMs(ms: number): string {
  return new Date(ms).toISOString()
}
