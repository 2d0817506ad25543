import type { Span } from '../../../domain/span.ts'
import type { Scope } from '../scope/scope.ts'
import { readWhole, selectWhole } from '../traces/whole-spans.ts'

/**
 * The spans that the table `chosen` tells of, whole, the newest first: by their hour and row where they are sealed, by their ids
 * where they are in an open file. By rows, only what lies around them is unpacked (see `dynamic_or_filter_threshold`).
 */
export async function chosenSpans(scope: Scope): Promise<Span[]> {
  const rows = await scope.session.rows('SELECT DISTINCT hour FROM chosen')
  const hours = new Set(rows.map((row) => row['hour']))
  const selects = scope.units
    .filter(({ hour }) => hours.has(hour))
    .flatMap((unit) => {
      const isChosen = (key: string, name: string) => `${key} IN (SELECT ${name} FROM chosen WHERE hour = ${unit.hour})`
      return selectWhole(unit, isChosen('rowid', 'row'), isChosen('(trace_id, span_id)', 'trace_id, span_id'))
    })
  return await readWhole(scope, selects, 'start_ns DESC, trace_id, span_id')
}
