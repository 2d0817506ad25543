import type { ApdexThresholds } from '../domain/apdex.ts'
import type { AlertStore } from './alert-store.ts'
import type { AuditLog } from './audit-log.ts'
import type { ChartStore, DashboardStore } from './chart-store.ts'
import type { DeletionStore } from './deletion-store.ts'
import type { EventMemory } from './event-memory.ts'
import type { ChannelStore, Outbox, SilenceStore } from './notification-store.ts'
import type { PrivacyStore } from './privacy-store.ts'

export const ROLES = ['Owner', 'Member', 'User', 'Guest'] as const
export type Role = (typeof ROLES)[number]

export const SCOPES = ['read', 'ingest', 'manage'] as const
export type Scope = (typeof SCOPES)[number]

export const SUBSCRIPTION_STATES = ['active', 'trial', 'suspended', 'expired'] as const
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

export interface Grid {
  id: string
  name: string
  createdAtMs: number
  plan: string
  subscriptionState: SubscriptionState
  rawRetentionDays: number
  aggregateRetentionDays: number
  /** Of what the server may take of the disk; null where the Grid has no limit of its own. */
  diskSharePercent: number | null
  /** Records from before this were removed for want of space, whatever the retention; 0 where none were. */
  recordsFromMs: number
  /** Requests a minute; null where the server's default holds. */
  rateLimitCaller: number | null
  rateLimitGrid: number | null
  /** Records a second that may be sent; null where there is no limit. */
  ingestQuota: number | null
  apdex: ApdexThresholds
}

export type GridSettings = Omit<Grid, 'id' | 'createdAtMs'>

/** A key as it is listed: the secret itself is known only to whoever made it. */
export interface ApiKey {
  id: string
  gridId: string
  name: string
  /** The first characters of the secret, enough to recognise it by. */
  prefix: string
  role: Role
  scopes: Scope[]
  createdAtMs: number
  expiresAtMs: number | null
  revokedAtMs: number | null
}

export interface NewApiKey {
  gridId: string
  name: string
  role: Role
  scopes: Scope[]
  expiresAtMs: number | null
  /** Given by the person who starts the server for the first time; otherwise one is made. */
  secret?: string
}

export interface User {
  id: string
  email: string
  name: string
  admin: boolean
  createdAtMs: number
}

/** A machine that signs in by client credentials. */
export interface Client {
  id: string
  name: string
  admin: boolean
  createdAtMs: number
}

/** Who may do what on a Grid: a user's id, a client's id, a subject of another provider, or an invited e-mail address. */
export interface Member {
  gridId: string
  subject: string
  role: Role
  createdAtMs: number
}

export const EVENT_TYPES = [
  'deployment',
  'scaling',
  'new_service',
  'new_endpoint',
  'configuration',
  'anomaly',
  'alert',
  'recovery',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const EVENT_SEVERITIES = ['info', 'warning', 'critical'] as const
export type EventSeverity = (typeof EVENT_SEVERITIES)[number]

/** Something notable that happened in a Grid. */
export interface GridEvent {
  /** Known by this within the Grid: the same event found again has the same key. */
  key: string
  /** In the data's own time. */
  atMs: number
  type: EventType
  severity: EventSeverity
  /** Empty for the whole Grid. */
  serviceName: string
  description: string
  /** What else belongs to it, by type: versions of a deployment, numbers of a scaling. */
  details: Record<string, string>
}

/** For so long after an event was first recorded later data may alter or withdraw it; then it is settled. */
export const PROVISIONAL_MS = 10 * 60_000

/** An event with what only those who revise events need to know. */
export interface RecordedEvent extends GridEvent {
  /** What it was found in, so that a second look at the same withdraws what it no longer finds; empty where nobody looks again. */
  source: string
  /** When it was first recorded. */
  recordedAtMs: number
}

export interface EventRevision {
  put: (GridEvent & { source: string })[]
  /** Keys. */
  withdraw: string[]
}

/** Everything that is not telemetry. Small, read often, written seldom. */
export interface ControlStore {
  grids: {
    /** With the default alert rules and the starter dashboard. Fails with `AlreadyExists` where the id is or was taken. */
    create(grid: { id?: string; name: string }): Promise<Grid>
    find(id: string): Promise<Grid | undefined>
    list(): Promise<Grid[]>
    /** Resolves to the Grid as it is afterwards, or to undefined where it does not exist. */
    update(id: string, settings: Partial<GridSettings>): Promise<Grid | undefined>
    /**
     * Removes the Grid with everything that is kept here of it but its audit: its keys work no longer. Its telemetry is to be
     * removed by the caller, also after a restart: see `removed`. Its id is never given again. False where there is no such
     * Grid.
     */
    remove(id: string, nowMs: number): Promise<boolean>
    /** Every Grid that was ever removed, in that order. */
    removed(): Promise<{ id: string; isTelemetryRemoved: boolean }[]>
    /** Whether a Grid was removed since the store was opened, as it is at this very moment. */
    isRemoved(id: string): boolean
    noteTelemetryRemoved(id: string): Promise<void>
  }
  keys: {
    /** The only time that the secret is seen. */
    create(key: NewApiKey): Promise<{ key: ApiKey; secret: string }>
    /** The key that this secret opens, if it is neither revoked nor expired. Compares in constant time. */
    findBySecret(secret: string, nowMs: number): Promise<ApiKey | undefined>
    list(gridId: string): Promise<ApiKey[]>
    /** A new secret for the same key; the old one stops working at once. */
    rotate(gridId: string, id: string): Promise<{ key: ApiKey; secret: string } | undefined>
    /** Takes effect at once. False where there is no such key. */
    revoke(gridId: string, id: string, nowMs: number): Promise<boolean>
  }
  users: {
    create(user: { email: string; name: string; password: string; admin: boolean }): Promise<User>
    find(id: string): Promise<User | undefined>
    list(): Promise<User[]>
    /** Undefined for a wrong password, an unknown address, and a user who is locked out; always takes about as long. */
    verifyPassword(email: string, password: string, nowMs: number): Promise<User | undefined>
    setPassword(id: string, password: string): Promise<boolean>
    remove(id: string): Promise<boolean>
  }
  clients: {
    create(client: {
      id?: string
      name: string
      admin: boolean
      secret?: string
    }): Promise<{ client: Client; secret: string }>
    find(id: string): Promise<Client | undefined>
    list(): Promise<Client[]>
    remove(id: string): Promise<boolean>
  }
  members: {
    /** Adds a member or changes its role. */
    put(member: { gridId: string; subject: string; role: Role }): Promise<Member>
    /** The strongest role that any of these names has on the Grid. */
    roleOf(gridId: string, subjects: string[]): Promise<Role | undefined>
    list(gridId: string): Promise<Member[]>
    listGridsOf(subjects: string[]): Promise<Member[]>
    remove(gridId: string, subject: string): Promise<boolean>
  }
  events: {
    /** Adds events whose keys are new; one that is known stays as it was recorded. */
    record(gridId: string, events: GridEvent[], nowMs: number): Promise<void>
    /** Ascending by time, in `[startMs, endMs)`. */
    list(gridId: string, range: { startMs: number; endMs: number }): Promise<GridEvent[]>
    /** Events of these sources whenever they were, and all of the range. */
    recorded(gridId: string, wanted: { sources: string[]; startMs: number; endMs: number }): Promise<RecordedEvent[]>
    /** All of it or nothing: adds what is new, alters and withdraws what is provisional, and leaves alone what is settled. */
    revise(gridId: string, revision: EventRevision, nowMs: number): Promise<void>
    /** Forgets events from before this time. */
    expire(gridId: string, beforeMs: number): Promise<void>
  }
  alerts: AlertStore
  channels: ChannelStore
  silences: SilenceStore
  outbox: Outbox
  charts: ChartStore
  dashboards: DashboardStore
  eventMemory: EventMemory
  privacy: PrivacyStore
  deletions: DeletionStore
  audit: AuditLog
  /** Writes everything, as it is at one moment, to a new file that a store can be opened on. */
  copyTo(path: string): Promise<void>
  close(): Promise<void>
}

export class AlreadyExists extends Error {
  override readonly name = 'AlreadyExists'
}
