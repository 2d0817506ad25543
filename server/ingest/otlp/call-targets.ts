import { finishedHash, mixedHash } from './word-hash.ts'

/** Two places share what falls on either. */
const PLACES = 2048

export interface TargetBytes {
  named: Uint8Array
  dependency: Uint8Array
}

interface KnownTarget extends TargetBytes {
  notes: Int32Array
}

/** Targets by the notes that they were made from: services call the same few again and again. */
export class CallTargets {
  private readonly places: (KnownTarget | undefined)[] = new Array(PLACES).fill(undefined)

  find(notes: Int32Array, count: number): TargetBytes | undefined {
    const place = placeOf(notes, count)
    const target = this.places[place]
    if (target !== undefined && isSame(target.notes, notes, count)) return target
    const other = this.places[place ^ 1]
    return other !== undefined && isSame(other.notes, notes, count) ? other : undefined
  }

  /** Keeps a target at the expense of another one. */
  keep(notes: Int32Array, count: number, { named, dependency }: TargetBytes): void {
    const place = placeOf(notes, count)
    this.places[place ^ 1] = this.places[place]
    this.places[place] = { notes: notes.slice(0, count), named, dependency }
  }
}

function placeOf(notes: Int32Array, count: number): number {
  let hash = count
  for (let i = 0; i < count; i++) hash = mixedHash(hash, notes[i] as number)
  return finishedHash(hash) & (PLACES - 1)
}

function isSame(known: Int32Array, notes: Int32Array, count: number): boolean {
  if (known.length !== count) return false
  for (let i = 0; i < count; i++) if (known[i] !== notes[i]) return false
  return true
}
