import type { FailureTable } from '../../../domain/failure-table.ts'
import { SAMPLES_MAX, type Telling } from '../../../domain/failures.ts'

/** What failed spans tell, each once, wherever it is told. */
export class Tellings {
  private readonly table: FailureTable
  private readonly byHash = new Map<number, number>()
  private readonly byContent = new Map<string, number>()
  private readonly samples: string[][][] = []

  constructor(table: FailureTable) {
    this.table = table
  }

  /** The place of what has this hash in a file. */
  place(hash: number): number {
    return this.byHash.get(hash) as number
  }

  of(hash: number, telling: Omit<Telling, 'samples'>, content?: string): number {
    const place = this.byHash.get(hash) ?? this.ofContent(telling, content)
    this.byHash.set(hash, place)
    return place
  }

  ofContent(telling: Omit<Telling, 'samples'>, content = JSON.stringify(telling)): number {
    const known = this.byContent.get(content)
    if (known !== undefined) return known
    const samples: string[][] = []
    const place = this.table.tell({ ...telling, samples })
    this.samples[place] = samples
    this.byContent.set(content, place)
    return place
  }

  sample(place: number, values: string[]): void {
    const samples = this.samples[place] as string[][]
    if (samples.length < SAMPLES_MAX) samples.push(values)
  }
}
