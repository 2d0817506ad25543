import type { HourFile } from '../files/hour-file.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'

/** Names that are remembered of one hour: more than a system has, unless it makes them up. */
const NAMES_MAX = 10_000

/** The names of a file's series up to a number. Series are only ever added to a file, with higher numbers. */
interface KnownSeries {
  lastNo: number
  names: Set<string>
  /** The version of the file of which all are known, if of any. */
  version: number | undefined
}

/** Forgotten with the files. */
const knownOf = new WeakMap<HourFile, KnownSeries>()

/** The units that may have points of one of these metrics. Most metrics are in no hour, which is seen without looking for points. */
export async function unitsWithMetrics(scope: Scope, names: string[]): Promise<HourUnit[]> {
  const { grid, units } = scope
  const hasOpenPoints = ({ hour, open }: HourUnit) =>
    open.some(({ rowsByGrid }) => (rowsByGrid.get(grid.grid)?.get(hour)?.points ?? 0) > 0)
  const sealed = units.filter((unit) => !hasOpenPoints(unit)).flatMap(({ file }) => file ?? [])
  const namesOf = await seriesNames(scope, sealed)
  return units.filter((unit) => {
    const known = unit.file && namesOf(unit.file)
    return hasOpenPoints(unit) || (known && (known.size >= NAMES_MAX || names.some((name) => known.has(name))))
  })
}

async function seriesNames(scope: Scope, files: HourFile[]): Promise<(file: HourFile) => Set<string>> {
  const all = files.map((file) => {
    const known = knownOf.get(file) ?? { lastNo: 0, names: new Set<string>(), version: undefined }
    knownOf.set(file, known)
    return { file, known }
  })
  const unread = all.filter(
    ({ file, known }) => known.version !== scope.versionOf(file) && known.names.size < NAMES_MAX,
  )
  const parts = unread.map(
    ({ file: { alias }, known: { lastNo } }, i) => `SELECT ${i} AS file, name, max(series_no) AS last_no
      FROM ${alias}.series WHERE series_no > ${lastNo} GROUP BY name`,
  )
  const rows = parts.length > 0 ? await scope.session.rows(parts.join(' UNION ALL ')) : []
  for (const row of rows) {
    const known = unread[row['file'] as number]?.known as KnownSeries
    known.names.add(row['name'] as string)
    known.lastNo = Math.max(known.lastNo, row['last_no'] as number)
  }
  for (const { file, known } of unread) known.version = Math.max(known.version ?? 0, scope.versionOf(file))
  return (file) => knownOf.get(file)?.names ?? new Set()
}
