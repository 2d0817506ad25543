import type { HourVersion } from '../../diagnostics-reader.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'

/** When the first span of a Grid began, and the hour that it is in, as it was when somebody looked. */
export interface FirstSpan extends HourVersion {
  firstNs: bigint
}

/** Of the scope's hours. */
export async function firstSpanNs(scope: Scope): Promise<bigint | undefined> {
  for (const unit of [...scope.units].reverse()) {
    const parts: string[] = []
    if (unit.file) {
      const { alias } = unit.file
      const { firstNs } = nsRangeOfHour(unit.hour)
      parts.push(
        `SELECT min(first_ns) AS first_ns FROM ${alias}.traces`,
        `SELECT min(${firstNs} + minute * ${NS_PER_MINUTE}) FROM ${alias}.minute_origins
         WHERE NOT EXISTS (SELECT 1 FROM ${alias}.traces)`,
      )
    }
    const rows = openRows(unit, 'spans', 'start_ns')
    if (rows) parts.push(`SELECT min(start_ns) AS first_ns FROM ${rows}`)
    if (parts.length === 0) continue
    const found = await scope.session.rows(
      `SELECT min(first_ns)::BIGINT AS first_ns FROM (${parts.join(' UNION ALL ')})`,
      scope.grid,
    )
    const firstNs = found[0]?.['first_ns']
    if (typeof firstNs === 'bigint') return firstNs
  }
  return undefined
}

/** Known without asking the database: what is in files by when they last changed, what is not sealed by its rows. */
export function hourVersions(hourFiles: HourFiles, openFiles: OpenFile[], gridId: string): HourVersion[] {
  const versions = new Map<number, string>()
  const add = (hour: number, part: string) => versions.set(hour, `${versions.get(hour) ?? ''}${part}`)
  for (const { hour, generation, changedAtMs } of hourFiles.ofGrid(gridId)) add(hour, `${generation}@${changedAtMs}`)
  for (const open of openFiles)
    for (const [hour, { spans, logs, points }] of open.rowsByGrid.get(gridId) ?? [])
      add(hour, `+${open.number}:${spans + logs + points}`)
  return [...versions]
    .sort(([a], [b]) => a - b)
    .map(([hour, version]) => ({ hourStartNs: nsRangeOfHour(hour).firstNs, version }))
}
