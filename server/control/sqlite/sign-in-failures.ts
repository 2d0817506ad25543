import type { Transaction } from 'kysely'
import { hashOfSecret } from '../secrets.ts'
import type { ControlTables } from '../tables.ts'

const FAILURES_MAX = 10
const WINDOW_MS = 15 * 60_000
const LOCK_MS = 15 * 60_000

/**
 * Counts a failure and locks the address out after ten within fifteen minutes. Addresses are kept as hashes, known or
 * not: people type passwords into the wrong field, and a stranger must not be told from a user by the time it takes.
 * There are never more of them than passwords can be tried in fifteen minutes.
 */
export async function recordFailure(tx: Transaction<ControlTables>, email: string, nowMs: number): Promise<void> {
  const emailHash = hashOfSecret(email)
  await tx.deleteFrom('sign_in_failures').where('forget_at_ms', '<=', nowMs).execute()
  const row = await tx
    .selectFrom('sign_in_failures')
    .select(['failed_at_ms', 'locked_until_ms'])
    .where('email_hash', '=', emailHash)
    .executeTakeFirst()
  if (row !== undefined && row.locked_until_ms > nowMs) return
  const earlier: number[] = row === undefined ? [] : JSON.parse(row.failed_at_ms)
  const failures = [...earlier.filter((failedAtMs) => failedAtMs > nowMs - WINDOW_MS), nowMs]
  const locked = failures.length >= FAILURES_MAX
  const values = {
    failed_at_ms: JSON.stringify(locked ? [] : failures),
    locked_until_ms: locked ? nowMs + LOCK_MS : 0,
    forget_at_ms: nowMs + Math.max(WINDOW_MS, LOCK_MS),
  }
  await tx
    .insertInto('sign_in_failures')
    .values({ email_hash: emailHash, ...values })
    .onConflict((conflict) => conflict.column('email_hash').doUpdateSet(values))
    .execute()
}

export async function isLockedOut(tx: Transaction<ControlTables>, email: string, nowMs: number): Promise<boolean> {
  const row = await tx
    .selectFrom('sign_in_failures')
    .select('locked_until_ms')
    .where('email_hash', '=', hashOfSecret(email))
    .executeTakeFirst()
  return row !== undefined && row.locked_until_ms > nowMs
}

export async function forgetFailures(tx: Transaction<ControlTables>, email: string): Promise<void> {
  await tx.deleteFrom('sign_in_failures').where('email_hash', '=', hashOfSecret(email)).execute()
}
