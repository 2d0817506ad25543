import { createHash } from 'node:crypto'
import { type ControlStore, PROVISIONAL_MS } from '../control/control-store.ts'
import { eventRevision, type SourcedEvent } from '../diagnostics/changes/event-revision.ts'
import { storable } from './storable.ts'

interface Found {
  found: SourcedEvent[]
  /** Everything that was looked through, also where nothing was found. */
  sources: string[]
}

const KEY_LENGTH_MAX = 400

/** Makes what is recorded agree with what was found, as far as it is not settled. */
export async function recordFound(
  gridId: string,
  events: ControlStore['events'],
  { found, sources }: Found,
  nowMs: number,
): Promise<void> {
  const recorded = await events.recorded(gridId, { sources, startMs: 0, endMs: 0 })
  const known = recorded.map((event) => ({ ...event, isSettled: event.recordedAtMs <= nowMs - PROVISIONAL_MS }))
  const revision = eventRevision(found.map(storableEvent), known)
  if (revision.put.length === 0 && revision.withdraw.length === 0) return
  await events.revise(gridId, revision, nowMs)
}

/** Names of services and endpoints are part of keys, and of any length. */
function storableEvent(event: SourcedEvent): SourcedEvent {
  const isLong = event.key.length > KEY_LENGTH_MAX
  return {
    ...event,
    key: storable(isLong ? `${event.type}:${createHash('sha256').update(event.key).digest('hex')}` : event.key),
    serviceName: storable(event.serviceName),
    description: storable(event.description),
    details: Object.fromEntries(Object.entries(event.details).map(([name, value]) => [name, storable(value)])),
  }
}
