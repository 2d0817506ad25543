import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import { openOriginRows } from './live/open-origins.ts'
import { inRanges, minuteRanges } from './minute-ranges.ts'
import type { HourUnit, Scope } from './scope.ts'

const [SERVER, CONSUMER] = [2, 5]

/** The 24 hours before a window's end: as long a service is remembered. */
export function dayBefore({ endNs }: TimeWindow): TimeWindow {
  return { startNs: endNs - 24n * NS_PER_HOUR, endNs }
}

/** Which services sent spans in a window, and which of them SERVER or CONSUMER spans. */
export interface KnownServices {
  all: Set<string>
  entries: Set<string>
}

export async function knownServices(scope: Scope, window: TimeWindow): Promise<KnownServices> {
  const known: KnownServices = { all: new Set(), entries: new Set() }
  const add = (service: string, isEntry: boolean) => {
    known.all.add(service)
    if (isEntry) known.entries.add(service)
  }
  for (const row of openOriginRows(await scope.openFigures(), window, false))
    if ((row['spans'] as number) > 0) add(row['service'] as string, isEntryKind(row['kind'] as number))
  const parts = scope.units.flatMap((unit) => ofSealed(unit, window))
  if (parts.length === 0) return known
  const rows = await scope.session.rows(
    `SELECT service, bool_or(is_entry) AS is_entry FROM (${parts.join(' UNION ALL ')}) GROUP BY service`,
  )
  for (const row of rows) add(row['service'] as string, row['is_entry'] === true)
  return known
}

function isEntryKind(kind: number): boolean {
  return kind === SERVER || kind === CONSUMER
}

function ofSealed({ file, hour }: HourUnit, window: TimeWindow): string[] {
  if (!file) return []
  const { alias } = file
  const { whole, ragged } = minuteRanges(hour, window)
  const parts: string[] = []
  if (whole)
    parts.push(`SELECT g.service_no, kind FROM ${alias}.minute_origins m JOIN ${alias}.origins g USING (origin_no)
      WHERE minute >= ${whole.first} AND minute < ${whole.end} GROUP BY g.service_no, kind HAVING sum(spans) > 0`)
  if (ragged.length > 0)
    parts.push(`SELECT DISTINCT service_no, kind FROM ${alias}.spans WHERE ${inRanges('start_ns', ragged)}`)
  if (parts.length === 0) return []
  return [
    `SELECT n.name AS service, bool_or(kind IN (2, 5)) AS is_entry FROM (${parts.join(' UNION ALL ')})
     JOIN ${alias}.names n ON n.name_no = service_no GROUP BY n.name`,
  ]
}
