import type { Grid } from '../control/control-store.ts'
import { createIngestQuota } from './ingest-quota.ts'
import type { IntakeMeasures } from './intake-measures.ts'
import { Refusal } from './refusal.ts'

export const REQUEST_BYTES_MAX = 64 * 1024 * 1024
const DEFAULT_BUDGET_BYTES = 96 * 1024 * 1024
/** What a request costs beside its body, so that empty requests cannot pile up without a bound either. */
const REQUEST_OVERHEAD_BYTES = 4 * 1024
const OVERLOAD_RETRY_MS = 1_000

type GridQuota = Pick<Grid, 'id' | 'ingestQuota'>

/** A request's share of the memory for requests, from its first byte to its answer. */
export interface Reservation {
  /** Throws an `overloaded` refusal where the bytes do not fit; the request must then be given up and released. */
  add(bytes: number): void
  /** May be called twice. */
  release(): void
}

/** Bounds what requests hold in memory, and what each Grid may send. Nothing ever waits here: it fits or is refused. */
export interface Intake {
  readonly measures: IntakeMeasures
  /** Throws a refusal (`quota`, `overloaded`) where the request has no chance now. `expectedBytes` are not yet reserved. */
  enter(grid: GridQuota, expectedBytes?: number): Reservation
  /** To be told of every acknowledged request. */
  spend(grid: GridQuota, acceptedRecords: number): void
}

interface IntakeOptions {
  measures: IntakeMeasures
  clock: () => number
  budgetBytes?: number
}

export function createIntake({ measures, clock, budgetBytes = DEFAULT_BUDGET_BYTES }: IntakeOptions): Intake {
  const quota = createIngestQuota(clock)
  let inFlightBytes = 0

  function change(bytes: number): void {
    inFlightBytes += bytes
    measures.bytesInFlight(inFlightBytes)
  }

  /** A request that is alone always fits: its own limit bounds it, and no other one would ever make room for it. */
  function requireRoom(heldBytes: number, moreBytes: number): void {
    const isAlone = inFlightBytes === heldBytes
    if (isAlone || inFlightBytes + moreBytes <= budgetBytes) return
    throw new Refusal('overloaded', 'The server has no room for this request now.', OVERLOAD_RETRY_MS)
  }

  function reserve(): Reservation {
    let heldBytes = REQUEST_OVERHEAD_BYTES
    let released = false
    change(heldBytes)
    return {
      add(bytes) {
        if (released) throw new Refusal('cancelled', 'The request was given up.')
        requireRoom(heldBytes, bytes)
        heldBytes += bytes
        change(bytes)
      },
      release() {
        if (released) return
        released = true
        change(-heldBytes)
      },
    }
  }

  return {
    measures,
    enter(grid, expectedBytes = 0) {
      const waitMs = quota.waitMs(grid.id, grid.ingestQuota)
      if (waitMs > 0) {
        const message = `This Grid may send ${grid.ingestQuota} records a second and has sent more.`
        throw new Refusal('quota', message, waitMs)
      }
      requireRoom(0, expectedBytes + REQUEST_OVERHEAD_BYTES)
      return reserve()
    },
    spend: (grid, acceptedRecords) => quota.spend(grid.id, grid.ingestQuota, acceptedRecords),
  }
}
