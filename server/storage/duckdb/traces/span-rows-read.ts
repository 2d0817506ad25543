import type { DuckDBUUIDValue } from '@duckdb/node-api'
import type { Attributes } from '../../../domain/attributes.ts'
import {
  type Span,
  type SpanEvent,
  type SpanLink,
  type SpanSummary,
  spanKindOf,
  spanStatusOf,
} from '../../../domain/span.ts'
import type { Row } from '../engine/session.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows } from '../scope/scope.ts'

const SUMMARY = 'span_id, parent_id, start_ns, duration_ns, kind, status'
const DETAIL = 'flags, dropped, status_message, trace_state, attributes, events, links'

export type Detail = 'summary' | 'whole'

/** Spans of a unit that meet a condition, sealed and open, with their names. The condition must hold few of them. */
export function selectSpans(unit: HourUnit, detail: Detail, sealedWhere: string, openWhere: string): string {
  const parts = [selectSealed(unit, detail, sealedWhere), selectOpen(unit, detail, openWhere)]
  return parts.filter((part) => part !== undefined).join(' UNION ALL ')
}

function selectSealed(unit: HourUnit, detail: Detail, where: string): string | undefined {
  if (!unit.file) return undefined
  const { alias } = unit.file
  const own = detail === 'whole' ? `${SUMMARY}, ${DETAIL}` : SUMMARY
  const origin = detail === 'whole' ? ', g.resource, g.scope_name, g.scope_version' : ''
  // Found first, joined after: the joins then look up a handful of numbers.
  return `SELECT t.trace_id::VARCHAR AS trace_id, ${own}, v.name AS service, o.name AS operation ${origin} FROM (
      SELECT ${own}, trace_no, origin_no, operation_no FROM ${alias}.spans WHERE ${where}) s
    JOIN ${alias}.traces t ON t.trace_no = s.trace_no
    JOIN ${alias}.origins g ON g.origin_no = s.origin_no
    JOIN ${alias}.names v ON v.name_no = g.service_no
    JOIN ${alias}.names o ON o.name_no = s.operation_no`
}

function selectOpen(unit: HourUnit, detail: Detail, where: string): string | undefined {
  const rows = openRows(unit, 'spans')
  if (rows === undefined) return undefined
  const own = detail === 'whole' ? `${SUMMARY}, ${DETAIL}` : SUMMARY
  const origin = detail === 'whole' ? ', g.resource, g.scope_name, g.scope_version' : ''
  return `SELECT s.trace_id::VARCHAR AS trace_id, ${own}, g.service, s.operation ${origin}
    FROM (SELECT * FROM ${rows} WHERE ${where}) s JOIN ${openOrigins(unit)} g ON g.origin = s.origin`
}

/** The origins of a unit's open files. The same one may be in several files. */
export function openOrigins(unit: HourUnit): string {
  const parts = unit.open.map((open) => `SELECT * FROM ${open.alias}.origins`)
  return `(SELECT DISTINCT ON (origin) * FROM (${parts.join(' UNION ALL ')}))`
}

export function hexOfUuid(uuid: unknown): string {
  return String(uuid as string | DuckDBUUIDValue).replaceAll('-', '')
}

export function hexOfNumber(id: unknown): string {
  return (id as bigint).toString(16).padStart(16, '0')
}

export function summaryOf(row: Row): SpanSummary {
  return {
    traceId: hexOfUuid(row['trace_id']),
    spanId: hexOfNumber(row['span_id']),
    parentSpanId: row['parent_id'] === 0n ? '' : hexOfNumber(row['parent_id']),
    serviceName: row['service'] as string,
    operationName: row['operation'] as string,
    kind: spanKindOf(row['kind'] as number),
    status: spanStatusOf(row['status'] as number),
    startNs: row['start_ns'] as bigint,
    durationNs: row['duration_ns'] as bigint,
  }
}

export function spanOf(row: Row): Span {
  return {
    ...summaryOf(row),
    statusMessage: row['status_message'] as string,
    traceState: row['trace_state'] as string,
    flags: row['flags'] as number,
    droppedAttributes: row['dropped'] as number,
    attributes: attributesOf(row['attributes']),
    events: eventsOf(row['events'] as string),
    links: linksOf(row['links'] as string),
    resource: attributesOf(row['resource']),
    scopeName: row['scope_name'] as string,
    scopeVersion: row['scope_version'] as string,
  }
}

export function attributesOf(json: unknown): Attributes {
  return json === '' ? {} : (JSON.parse(json as string) as Attributes)
}

export function eventsOf(json: string): SpanEvent[] {
  if (json === '') return []
  const events = JSON.parse(json) as { name: string; timeUnixNano: string; attributes: Attributes }[]
  return events.map(({ name, timeUnixNano, attributes }) => ({ name, timeNs: BigInt(timeUnixNano), attributes }))
}

export function linksOf(json: string): SpanLink[] {
  return json === '' ? [] : (JSON.parse(json) as SpanLink[])
}
