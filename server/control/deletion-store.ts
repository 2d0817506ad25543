import type { DeletableSignal, RecordCounts } from '../domain/record-match.ts'

export const DELETION_STATES = ['waiting', 'running', 'finished'] as const
export type DeletionState = (typeof DELETION_STATES)[number]

/** A wish to have the records deleted that carry a value. The value itself is shown to nobody, and forgotten in the end. */
export interface Deletion extends RecordCounts {
  id: string
  gridId: string
  attribute: string
  signals: DeletableSignal[]
  state: DeletionState
  requestedBy: string
  createdAtMs: number
  startedAtMs: number | null
  finishedAtMs: number | null
  /** Hours of telemetry that were looked through, and how many there are; the latter is null until it is known. */
  hoursDone: number
  hoursTotal: number | null
  /** Why it could not go on when it was last tried; empty where it could. It is tried again. */
  error: string
}

export type NewDeletion = Pick<Deletion, 'attribute' | 'signals' | 'requestedBy'> & { value: string }

export const DELETION_LIMITS = { unfinishedPerGridMax: 100, attributeCharsMax: 1024, valueCharsMax: 65_536 } as const

export interface DeletionStore {
  /** Fails with `RecordRefused` where too many are not finished. */
  create(gridId: string, deletion: NewDeletion, nowMs: number): Promise<Deletion>
  find(gridId: string, id: string): Promise<Deletion | undefined>
  /** Newest first. */
  list(gridId: string, page: { offset: number; limit: number }): Promise<{ items: Deletion[]; totalCount: number }>
  /** The oldest that is not finished, with its value. */
  next(): Promise<(Deletion & { value: string }) | undefined>
  /** Its hours are looked through from the first one on, also where that was begun before. */
  begin(id: string, hoursTotal: number, nowMs: number): Promise<void>
  /** An hour was looked through, and so many records in it deleted. */
  hourDone(id: string, deleted: RecordCounts): Promise<void>
  failed(id: string, error: string): Promise<void>
  /** Forgets the value, and what else in this store was found in records that had it. */
  finish(id: string, nowMs: number): Promise<void>
}
