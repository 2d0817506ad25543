import type { TimeWindow } from '../../../domain/time-window.ts'
import type { RequestSeries } from '../../diagnostics-reader.ts'
import { GroupSums } from '../live/group-sums.ts'
import { REQUEST_COLUMNS as COLUMN, durationNumber } from '../live/live-hour.ts'
import { MinuteColumns } from './minute-columns.ts'

const NONE = -1

/** A series with the numbers of its names. */
interface NumberedSeries extends Omit<RequestSeries, 'serviceName' | 'operationName'> {
  service: number
  operation: number
}

/** Makes series of sums by service, operation and minute, at most so many: those with the most requests. */
export function seriesOf(sums: GroupSums, window: TimeWindow, limit: number): NumberedSeries[] {
  /** By service and operation: how many requests. */
  const all = new GroupSums(1)
  const ofGroup = new Uint32Array(sums.size)
  for (let group = 0; group < sums.size; group++) {
    const at = all.at(sums.key(group, 0), sums.key(group, 2), 0, 0, 0)
    all.sums[at] = (all.sums[at] as number) + sums.sum(group, COLUMN.requests)
    ofGroup[group] = at
  }
  const told = Array.from({ length: all.size }, (_, series) => series).filter((series) => all.sum(series, 0) > 0)
  if (told.length > limit) told.sort((a, b) => all.sum(b, 0) - all.sum(a, 0)).splice(limit)
  const placeOf = new Int32Array(all.size).fill(NONE)
  for (const [place, series] of told.entries()) placeOf[series] = place
  const columns = new MinuteColumns(window, told.length)
  for (let group = 0; group < sums.size; group++) {
    const place = placeOf[ofGroup[group] as number] as number
    if (place === NONE) continue
    const durationNs = durationNumber(sums.sum(group, COLUMN.low), sums.sum(group, COLUMN.high))
    const content = sums.sum(group, COLUMN.satisfied) + sums.sum(group, COLUMN.tolerating) / 2
    const [requests, errors] = [sums.sum(group, COLUMN.requests), sums.sum(group, COLUMN.errors)]
    columns.add(place, sums.key(group, 3) | 0, requests, errors, durationNs, content)
  }
  return told.map((series, place) => ({
    service: all.key(series, 0),
    operation: all.key(series, 1),
    ...columns.figures(place),
    content: columns.own(place),
  }))
}
