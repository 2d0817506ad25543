import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import { FAILURE_ATTRIBUTES, type FailedSpan } from '../../domain/failed-span.ts'
import type { SpanEvent } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { FAILURE_TEXTS } from './failure-texts.ts'
import { inRanges } from './minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import type { Row } from './session.ts'
import { openOrigins, summaryOf } from './span-rows-read.ts'

/** Newest first, by their ids where they began at the same moment. */
export async function errorSpans(
  scope: Scope,
  window: TimeWindow,
  serviceName: string | undefined,
  limit: number,
): Promise<FailedSpan[]> {
  const parts = scope.units.flatMap((unit) => failuresOf(unit, window, serviceName, limit))
  if (parts.length === 0) return []
  const rows = await scope.session.rows(
    `SELECT trace_id::VARCHAR AS trace_id, * EXCLUDE (trace_id), 2 AS status FROM (${parts.join(' UNION ALL ')})
     ORDER BY start_ns DESC, trace_id, span_id LIMIT ${limit}`,
    { ...scope.grid, ...(serviceName === undefined ? {} : { service: serviceName }) },
  )
  const read = new FailureTexts()
  return rows.map((row) => read.failedSpan(row))
}

const OWN = 'span_id, parent_id, start_ns, duration_ns, kind, status_message'

/** Those that began last, and all that began with the last of them, before their names are looked up. */
function failuresOf(unit: HourUnit, window: TimeWindow, serviceName: string | undefined, limit: number): string[] {
  const inTime = inRanges('start_ns', [window])
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    const ofService =
      serviceName === undefined ? '' : `AND service_no IN (SELECT name_no FROM ${alias}.names WHERE name = $service)`
    const found = `FROM ${alias}.failures WHERE ${inTime} ${ofService}`
    parts.push(`SELECT t.trace_id, ${OWN}, v.name AS service, o.name AS operation, f.attributes, f.exceptions
      FROM (SELECT * ${found} AND start_ns >= (
        SELECT min(start_ns) FROM (SELECT start_ns ${found} ORDER BY start_ns DESC LIMIT ${limit}))) f
      JOIN ${alias}.traces t ON t.trace_no = f.trace_no
      JOIN ${alias}.names v ON v.name_no = f.service_no JOIN ${alias}.names o ON o.name_no = f.operation_no`)
  }
  const rows = openRows(unit, 'spans', `trace_id, ${OWN}, status, operation, origin, attributes, events`)
  if (rows)
    parts.push(`SELECT s.trace_id, ${OWN}, g.service, s.operation, ${FAILURE_TEXTS}
      FROM (SELECT * FROM ${rows} WHERE ${inTime} AND status = 2) s JOIN ${openOrigins(unit)} g USING (origin)
      ${serviceName === undefined ? '' : 'WHERE g.service = $service'}`)
  return parts
}

/** Many failures are told in the same words: each text is read once. */
class FailureTexts {
  private readonly attributes = new Map<string, Attributes>()

  failedSpan(row: Row): FailedSpan {
    return {
      ...summaryOf(row),
      statusMessage: row['status_message'] as string,
      attributes: this.attributesOf(row['attributes'] as string),
      events: exceptionsOf(row['exceptions'] as string),
    }
  }

  private attributesOf(json: string): Attributes {
    const known = this.attributes.get(json)
    if (known) return known
    const values = json === '' ? [] : (JSON.parse(json) as (AttributeValue | null)[])
    const told = Object.fromEntries(values.flatMap((value, i) => entryOf(FAILURE_ATTRIBUTES[i], value)))
    this.attributes.set(json, told)
    return told
  }
}

function exceptionsOf(json: string): SpanEvent[] {
  if (json === '') return []
  const events = JSON.parse(json) as { time: string; type: AttributeValue | null; message: AttributeValue | null }[]
  return events.map(({ time, type, message }) => ({
    name: 'exception',
    timeNs: BigInt(time),
    attributes: Object.fromEntries([...entryOf('exception.type', type), ...entryOf('exception.message', message)]),
  }))
}

function entryOf(key: string | undefined, value: AttributeValue | null): [string, AttributeValue][] {
  return key === undefined || value === null ? [] : [[key, value]]
}
