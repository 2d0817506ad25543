import type { GridUsage } from '../telemetry-store.ts'
import type { HourFiles } from './files/hour-files.ts'
import type { OpenFile } from './files/open-file.ts'
import { nsRangeOfHour } from './layout.ts'
import type { DayFiles } from './rolled/day-files.ts'

export async function gridUsage(
  { hourFiles, dayFiles }: { hourFiles: HourFiles; dayFiles: DayFiles },
  openFiles: OpenFile[],
  gridId: string,
): Promise<GridUsage> {
  const files = hourFiles.ofGrid(gridId)
  let bytes = await dayFiles.diskBytes(dayFiles.ofGrid(gridId))
  for (const file of files) bytes += await hourFiles.bytesOf(file)
  const unsealed = openFiles.flatMap(({ rowsByGrid }) => [...(rowsByGrid.get(gridId)?.keys() ?? [])])
  const whole = files.filter(({ isStripped }) => !isStripped).map(({ hour }) => hour)
  return {
    bytes,
    recordsFromNs: beginningOf([...whole, ...unsealed]),
    sumsFromNs: beginningOf([...files.map(({ hour }) => hour), ...unsealed]),
  }
}

function beginningOf(hours: number[]): bigint | null {
  if (hours.length === 0) return null
  return nsRangeOfHour(hours.reduce((first, hour) => Math.min(first, hour))).firstNs
}
