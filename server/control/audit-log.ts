/** A change that somebody made, or tried to make and was let in for. */
export interface AuditEntry {
  id: string
  atMs: number
  /** Null for what concerns no single Grid. */
  gridId: string | null
  /** Kind and id of the caller: `key:…`, `user:…` or `client:…`. */
  caller: string
  /** What was done, as the documentation calls it. */
  action: string
  /** What it was done to: the parameters of the call. */
  target: Record<string, string>
  /** What was sent, without what is secret, as JSON; cut where it is long. */
  change: string
}

export const AUDIT_CHANGE_MAX = 4_000

export interface AuditLog {
  record(entry: Omit<AuditEntry, 'id'>): Promise<void>
  /** Newest first. Without a Grid: of all of them, and of the platform. */
  list(asked: { gridId?: string; offset: number; limit: number }): Promise<{ items: AuditEntry[]; totalCount: number }>
  /** Forgets what is older than this. */
  expire(beforeMs: number): Promise<void>
}
