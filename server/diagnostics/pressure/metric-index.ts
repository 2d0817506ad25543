import { CATALOGUE } from './catalogue.ts'
import type { CatalogueEntry, Measure } from './catalogue-entry.ts'

export const ROLES = ['share', 'used', 'free', 'limit', 'idle', 'pending'] as const
export type Role = (typeof ROLES)[number]

/** What a metric is to one entry of the catalogue. */
export interface Reading {
  entry: CatalogueEntry
  role: Role
  measure: Measure
  /** Of several names for one role, the lowest that is there counts. */
  rank: number
}

const spelled = new Map<string, string>()

/** By every name that a metric may come under. */
export const READINGS: ReadonlyMap<string, readonly Reading[]> = indexOf(CATALOGUE)

/** Every name that a store is to be asked for. */
export const PRESSURE_METRICS: readonly string[] = [...READINGS.keys()]

/** The names of everything that one entry reads, so that only these are asked for where it alone matters. */
export function metricsOf(entry: CatalogueEntry): string[] {
  return rankedOf(entry).flatMap(({ names }) => names)
}

function indexOf(catalogue: readonly CatalogueEntry[]): Map<string, Reading[]> {
  const index = new Map<string, Reading[]>()
  for (const entry of catalogue)
    for (const { names, ...reading } of rankedOf(entry))
      for (const name of names) index.set(name, [...(index.get(name) ?? []), reading])
  return index
}

function rankedOf(entry: CatalogueEntry): (Reading & { names: string[] })[] {
  return ROLES.flatMap((role) =>
    (entry[role] ?? [])
      .flatMap((measure) => measure.names.map((name) => ({ name, measure })))
      .map(({ name, measure }, rank) => {
        const names = spellings(name, unitOf(entry, role, measure))
        return { entry, role, measure, rank, names }
      }),
  )
}

/**
 * A metric on its way through Prometheus has underscores for dots, and often its unit at the end. Names without dots are
 * spelled by whoever exports them.
 */
function spellings(name: string, unit: string): string[] {
  if (!name.includes('.')) return [name]
  const plain = underscored(name)
  return unit === '' ? [name, plain] : [name, plain, `${plain}_${unit}`]
}

function unitOf({ type }: CatalogueEntry, role: Role, measure: Measure): string {
  if (measure.rate) return 'seconds_total'
  if (role === 'share') return 'ratio'
  if (type === 'event_loop') return 'seconds'
  return type === 'memory' || type === 'disk' ? 'bytes' : ''
}

/** As Prometheus spells it. Only for names of the catalogue, because the answers are kept. */
export function underscored(name: string): string {
  const known = spelled.get(name)
  if (known !== undefined) return known
  const spelling = name.replaceAll(/[^A-Za-z0-9_]/g, '_')
  spelled.set(name, spelling)
  return spelling
}
