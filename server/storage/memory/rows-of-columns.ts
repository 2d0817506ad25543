import type { Attributes } from '../../domain/attributes.ts'
import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { Origin } from '../../domain/columns/origin.ts'
import type { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import { type Span, type SpanEvent, type SpanLink, spanKindOf, spanStatusOf } from '../../domain/span.ts'

type OriginFields = Pick<Span, 'serviceName' | 'resource' | 'scopeName' | 'scopeVersion'>

/** An object per span; nothing in them shares memory with the columns. Spans of one origin share their resource. */
export function spansOf(columns: SpanColumns): Span[] {
  const origins = columns.origins.map(originFields)
  return Array.from({ length: columns.length }, (_, row) => spanAt(columns, row, origins))
}

/** An object per log record; nothing in them shares memory with the columns. Records of one origin share their resource. */
export function logsOf(columns: LogColumns): LogRecord[] {
  const origins = columns.origins.map(originFields)
  return Array.from({ length: columns.length }, (_, row) => logAt(columns, row, origins))
}

function spanAt(columns: SpanColumns, row: number, origins: OriginFields[]): Span {
  return {
    traceId: hexAt(columns.traceIds, row, 16),
    spanId: hexAt(columns.spanIds, row, 8),
    parentSpanId: emptyIfZero(hexAt(columns.parentIds, row, 8)),
    operationName: columns.operations.textOf(row),
    kind: spanKindOf(columns.kinds[row] as number),
    status: spanStatusOf(columns.statuses[row] as number),
    startNs: columns.startNs[row] as bigint,
    durationNs: columns.durationNs[row] as bigint,
    statusMessage: columns.statusMessages.textOf(row),
    traceState: columns.traceStates.textOf(row),
    flags: columns.flags[row] as number,
    droppedAttributes: columns.droppedAttributes[row] as number,
    attributes: attributesOf(columns.attributes.textOf(row)),
    events: eventsOf(columns.events.textOf(row)),
    links: linksOf(columns.links.textOf(row)),
    ...(origins[columns.originIndexes[row] as number] as OriginFields),
  }
}

function logAt(columns: LogColumns, row: number, origins: OriginFields[]): LogRecord {
  return {
    id: hexAt(columns.ids, row, 16),
    timeNs: columns.timeNs[row] as bigint,
    observedNs: columns.observedNs[row] as bigint,
    severityNumber: columns.severityNumbers[row] as number,
    severityText: columns.severityTexts.textOf(row),
    body: columns.bodies.textOf(row),
    template: columns.templates.textOf(row),
    eventName: columns.eventNames.textOf(row),
    traceId: emptyIfZero(hexAt(columns.traceIds, row, 16)),
    spanId: emptyIfZero(hexAt(columns.spanIds, row, 8)),
    flags: columns.flags[row] as number,
    droppedAttributes: columns.droppedAttributes[row] as number,
    attributes: attributesOf(columns.attributes.textOf(row)),
    ...(origins[columns.originIndexes[row] as number] as OriginFields),
  }
}

function originFields(origin: Origin): OriginFields {
  return {
    serviceName: origin.serviceName,
    resource: attributesOf(origin.resourceJson),
    scopeName: origin.scopeName,
    scopeVersion: origin.scopeVersion,
  }
}

function attributesOf(json: string): Attributes {
  return json === '' ? {} : (JSON.parse(json) as Attributes)
}

function eventsOf(json: string): SpanEvent[] {
  if (json === '') return []
  const events = JSON.parse(json) as { name: string; timeUnixNano: string; attributes: Attributes }[]
  return events.map(({ name, timeUnixNano, attributes }) => ({ name, timeNs: BigInt(timeUnixNano), attributes }))
}

function linksOf(json: string): SpanLink[] {
  return json === '' ? [] : (JSON.parse(json) as SpanLink[])
}

function hexAt(ids: Uint8Array, row: number, width: number): string {
  return Buffer.from(ids.subarray(row * width, (row + 1) * width)).toString('hex')
}

function emptyIfZero(hex: string): string {
  return /^0+$/.test(hex) ? '' : hex
}
