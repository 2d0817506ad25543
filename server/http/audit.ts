import { AUDIT_CHANGE_MAX, type AuditEntry } from '../control/audit-log.ts'
import { callerKey } from './authentication.ts'
import type { Admitted } from './gate.ts'

/** Fields of a body that nobody is to read again. */
const SECRET_FIELDS = new Set(['password', 'secret', 'signingSecret', 'url', 'value'])

interface Call {
  /** As the documentation calls it. */
  summary: string
  params: unknown
  body: unknown
  answer: unknown
}

/** What is kept of a call that has changed something. */
export function auditEntry(
  { caller, grid }: Admitted,
  { summary, params, body, answer }: Call,
  atMs: number,
): Omit<AuditEntry, 'id'> {
  const { gridSecondaryId, ...target } = { ...made(answer), ...(params as Record<string, string>) }
  return {
    atMs,
    gridId: grid?.id ?? gridSecondaryId ?? null,
    caller: callerKey(caller),
    action: summary,
    target,
    change: body === undefined ? '' : JSON.stringify(body, withoutSecrets).slice(0, AUDIT_CHANGE_MAX),
  }
}

/** What was made is named by the answer alone. */
function made(answer: unknown): Record<string, string> {
  const { id, gridSecondaryId } = (answer ?? {}) as Record<string, string | undefined>
  return { ...(id !== undefined && { id }), ...(gridSecondaryId !== undefined && { gridSecondaryId }) }
}

function withoutSecrets(field: string, value: unknown): unknown {
  return SECRET_FIELDS.has(field) ? '…' : value
}
