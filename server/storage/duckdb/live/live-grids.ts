import { type ApdexThresholds, thresholdMsOf } from '../../../domain/apdex.ts'
import { seedsOf } from '../write/fingerprint.ts'
import type { TextIds } from './text-ids.ts'

/** A Grid as its spans know it. */
export interface LiveGrid {
  index: number
  id: string
  seeds: Uint32Array
  /** Of which `thresholdsNs` are, by the number of a service. */
  thresholds: ApdexThresholds | undefined
  thresholdsNs: Map<number, number>
}

export class LiveGrids {
  private readonly apdexOf: (gridId: string) => ApdexThresholds
  private readonly texts: TextIds
  private readonly byId = new Map<string, LiveGrid>()
  /** Also those that were forgotten: open files may still have spans of them. */
  private readonly byIndex: LiveGrid[] = []
  private changes = 0

  constructor(apdexOf: (gridId: string) => ApdexThresholds, texts: TextIds) {
    this.apdexOf = apdexOf
    this.texts = texts
  }

  of(gridId: string): LiveGrid {
    const known = this.byId.get(gridId)
    if (known) return known
    const seeds = seedsOf(`live ${gridId} ${this.changes}`)
    const grid = { index: this.byIndex.length, id: gridId, seeds, thresholds: undefined, thresholdsNs: new Map() }
    this.byId.set(gridId, grid)
    this.byIndex.push(grid)
    return grid
  }

  /** The spans that the Grid has by now are unknown to those that come. */
  forget(gridId: string): void {
    this.changes++
    this.byId.delete(gridId)
  }

  idOf(index: number): string {
    return (this.byIndex[index] as LiveGrid).id
  }

  /** T of the Apdex formula. */
  thresholdNs(index: number, service: number): number {
    const grid = this.byIndex[index] as LiveGrid
    const thresholds = this.apdexOf(grid.id)
    if (grid.thresholds !== thresholds) {
      grid.thresholds = thresholds
      grid.thresholdsNs.clear()
    }
    const known = grid.thresholdsNs.get(service)
    if (known !== undefined) return known
    const ns = thresholdMsOf(thresholds, this.texts.text(service)) * 1e6
    grid.thresholdsNs.set(service, ns)
    return ns
  }

  /** Numbers of services may mean other services from now on. */
  forgetServices(): void {
    for (const { thresholdsNs } of this.byIndex) thresholdsNs.clear()
  }
}
