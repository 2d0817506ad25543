import type { Span } from '../../../domain/span.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { doublingGroups } from '../scope/doubling-groups.ts'
import type { Scope } from '../scope/scope.ts'
import { selectSpans, spanOf } from './span-rows-read.ts'
import { type Whereabouts, whereabouts } from './span-times.ts'

const WHEREABOUTS_MAX = 8
/** Most spans that are asked for are of this hour or the last. */
const HOURS_AT_FIRST = 2
const SPAN_ID = 'span_id = $id::UBIGINT'

/**
 * The newest span with an id. Hours are looked through newest first, more at a time the longer it takes: first for where the
 * span may be, then there.
 */
export async function findSpan(scope: Scope, spanId: string): Promise<Span | undefined> {
  const id = String(BigInt(`0x${spanId}`))
  for (const group of doublingGroups(scope.units, HOURS_AT_FIRST)) {
    const found = await whereabouts(scope, group, id, WHEREABOUTS_MAX + 1)
    const spans = group.flatMap((unit) => spansAt(unit, found))
    if (spans.length === 0) continue
    const newest = `${spans.join(' UNION ALL ')} ORDER BY start_ns DESC, trace_id LIMIT 1`
    const [row] = await scope.session.rows(newest, { ...scope.grid, id })
    if (row) return spanOf(row)
  }
  return undefined
}

function spansAt(unit: HourUnit, found: Whereabouts[]): string[] {
  const inUnit = new Set(found.filter(({ hour }) => hour === unit.hour).map(({ where }) => where))
  const conditions = inUnit.size > WHEREABOUTS_MAX ? ['true'] : [...inUnit]
  const sealed = conditions.map((where) =>
    selectSpans({ ...unit, open: [] }, 'whole', `${where} AND ${SPAN_ID}`, SPAN_ID),
  )
  const open = unit.open.length > 0 ? [selectSpans({ ...unit, file: undefined }, 'whole', SPAN_ID, SPAN_ID)] : []
  return [...sealed, ...open]
}
