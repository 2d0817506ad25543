import { seedsOf } from './fingerprint.ts'

type Kind = 'span' | 'log' | 'point'

/** Where the fingerprints of a Grid's records begin. */
interface GridSeeds {
  inHour(hour: number): Uint32Array
}

/**
 * Fingerprints of a Grid's records begin with seeds of that Grid. With other seeds, its records are new again: that is how
 * the keys of records are forgotten that are there no longer, because the Grid was dropped or an hour was lost.
 */
export class KeySeeds {
  private readonly changes = new Map<string, number>()
  /** By Grid, the hours that were lost since the process began. */
  private readonly lostHours = new Map<string, Set<number>>()

  of(kind: Kind, gridId: string): GridSeeds {
    const seeds = this.seeds(kind, gridId)
    const lost = this.lostHours.get(gridId)
    if (!lost) return { inHour: () => seeds }
    const byHour = new Map([...lost].map((hour) => [hour, this.seeds(kind, `${gridId} ${hour}`)]))
    return { inHour: (hour) => byHour.get(hour) ?? seeds }
  }

  change(gridId: string, hour: number | undefined): void {
    const key = hour === undefined ? gridId : `${gridId} ${hour}`
    this.changes.set(key, (this.changes.get(key) ?? 0) + 1)
    if (hour === undefined) return void this.lostHours.delete(gridId)
    this.lostHours.set(gridId, (this.lostHours.get(gridId) ?? new Set<number>()).add(hour))
  }

  private seeds(kind: Kind, key: string): Uint32Array {
    const changes = this.changes.get(key)
    return seedsOf(changes === undefined ? `${kind} ${key}` : `${kind} ${key} changed ${changes}`)
  }
}
