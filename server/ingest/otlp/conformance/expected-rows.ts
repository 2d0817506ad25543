import { UNKNOWN_SERVICE } from '../../../domain/columns/origin.ts'
import type { LogRow, SpanRow } from './rows.ts'
import type { AnyValue, KeyValue, LogRecord, LogsRequest, Resource, Scope, Span, TracesRequest } from './shapes.ts'

/** The rows that a request within all limits must become, made the slow and obvious way. */
export function expectedSpans(request: TracesRequest): SpanRow[] {
  return (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ scope, spans = [] }) => spans.map((span) => expectedSpan(span, resource, scope))),
  )
}

export function expectedLogs(request: LogsRequest, nowNs: bigint): Omit<LogRow, 'id'>[] {
  return (request.resourceLogs ?? []).flatMap(({ resource, scopeLogs = [] }) =>
    scopeLogs.flatMap(({ scope, logRecords = [] }) =>
      logRecords.map((record) => expectedLog(record, resource, scope, nowNs)),
    ),
  )
}

function expectedSpan(span: Span, resource: Resource = {}, scope: Scope = {}): SpanRow {
  const startNs = BigInt(span.startTimeUnixNano ?? 0)
  const lengthNs = BigInt(span.endTimeUnixNano ?? 0) - startNs
  const kind = span.kind ?? 0
  const code = span.status?.code ?? 0
  const events = (span.events ?? []).map(
    ({ name = '', timeUnixNano = '0', attributes = [] }) =>
      `{"name":${JSON.stringify(name)},"timeUnixNano":"${timeUnixNano}","attributes":${objectText(attributes)}}`,
  )
  const links = (span.links ?? []).map(
    (link) =>
      `{"traceId":"${idText(link.traceId, 16, '')}","spanId":"${idText(link.spanId, 8, '')}",` +
      `"attributes":${objectText(link.attributes ?? [])}}`,
  )
  return {
    traceId: idText(span.traceId, 16),
    spanId: idText(span.spanId, 8),
    parentId: idText(span.parentSpanId, 8),
    startNs,
    durationNs: lengthNs < 0n ? 0n : lengthNs,
    kind: kind >= 0 && kind <= 5 ? kind : 0,
    status: code >= 0 && code <= 2 ? code : 0,
    flags: span.flags ?? 0,
    dropped:
      (span.droppedAttributesCount ?? 0) +
      [span, ...(span.events ?? []), ...(span.links ?? [])].reduce(
        (sum, { attributes = [] }) => sum + repeatedKeys(attributes),
        0,
      ),
    operation: plain(span.name),
    statusMessage: plain(span.status?.message),
    traceState: plain(span.traceState),
    attributes: attributesText(span.attributes),
    events: events.length === 0 ? '' : `[${events.join(',')}]`,
    links: links.length === 0 ? '' : `[${links.join(',')}]`,
    origin: expectedOrigin(resource, scope),
  }
}

function expectedLog(record: LogRecord, resource: Resource = {}, scope: Scope = {}, nowNs: bigint): Omit<LogRow, 'id'> {
  const severity = record.severityNumber ?? 0
  const timeNs = BigInt(record.timeUnixNano ?? 0)
  const observedNs = BigInt(record.observedTimeUnixNano ?? 0)
  return {
    traceId: idText(record.traceId, 16),
    spanId: idText(record.spanId, 8),
    timeNs: timeNs || observedNs || nowNs,
    observedNs,
    severityNumber: severity >= 0 && severity <= 24 ? severity : 0,
    severityText: plain(record.severityText),
    flags: record.flags ?? 0,
    dropped: (record.droppedAttributesCount ?? 0) + repeatedKeys(record.attributes ?? []) + repeatedInside(record.body),
    body: bodyText(record.body),
    eventName: plain(record.eventName),
    attributes: attributesText(record.attributes),
    origin: expectedOrigin(resource, scope),
  }
}

export function expectedOrigin(resource: Resource, scope: Scope): SpanRow['origin'] {
  const resourceJson = objectText(resource.attributes ?? [])
  const name: unknown = JSON.parse(resourceJson)['service.name']
  return {
    serviceName: typeof name === 'string' && name !== '' ? plain(name) : UNKNOWN_SERVICE,
    resourceJson,
    scopeName: plain(scope.name),
    scopeVersion: plain(scope.version),
  }
}

function bodyText(body: AnyValue = {}): string {
  if (body.stringValue !== undefined) return plain(body.stringValue)
  return Object.keys(body).length === 0 ? '' : valueText(body)
}

function attributesText(attributes: KeyValue[] = []): string {
  return attributes.length === 0 ? '' : objectText(attributes)
}

export function objectText(attributes: KeyValue[]): string {
  const texts = new Map<string, string>()
  for (const { key = '', value } of attributes) if (!texts.has(key)) texts.set(key, valueText(value))
  return `{${[...texts].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
}

function valueText(value: AnyValue = {}): string {
  if (value.stringValue !== undefined) return JSON.stringify(value.stringValue)
  if (value.boolValue !== undefined) return String(value.boolValue)
  if (value.intValue !== undefined) {
    return Number.isSafeInteger(Number(value.intValue)) ? value.intValue : `"${value.intValue}"`
  }
  if (value.doubleValue !== undefined) {
    return Number.isFinite(value.doubleValue) ? JSON.stringify(value.doubleValue) : `"${value.doubleValue}"`
  }
  if (value.arrayValue !== undefined) return `[${(value.arrayValue.values ?? []).map(valueText).join(',')}]`
  if (value.kvlistValue !== undefined) return objectText(value.kvlistValue.values ?? [])
  if (value.bytesValue !== undefined) return `"${Buffer.from(value.bytesValue).toString('base64')}"`
  return 'null'
}

/** How many attributes are left out, or have something left out inside them, because a key came twice. */
function repeatedKeys(attributes: KeyValue[]): number {
  const seen = new Set<string>()
  let count = 0
  for (const { key = '', value } of attributes) {
    if (seen.has(key)) count++
    else count += repeatedInside(value)
    seen.add(key)
  }
  return count
}

function repeatedInside(value: AnyValue = {}): number {
  const lists = [
    value.kvlistValue?.values ?? [],
    ...(value.arrayValue?.values ?? []).map((inner) => [{ value: inner }]),
  ]
  return lists.some((list) => repeatedKeys(list) > 0) ? 1 : 0
}

function plain(text = ''): string {
  return text.replaceAll('\0', '\ufffd')
}

function idText(id: Uint8Array | undefined, length: number, otherwise = '00'.repeat(length)): string {
  return id?.length === length ? Buffer.from(id).toString('hex') : otherwise
}
