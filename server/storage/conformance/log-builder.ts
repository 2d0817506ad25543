import { createHash } from 'node:crypto'
import type { Attributes } from '../../domain/attributes.ts'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import { logTemplate } from '../../domain/log-template.ts'
import {
  attributesJson,
  keySetOf,
  type OriginLiteral,
  originFieldsOf,
  originIndexOf,
  pushText,
  setId,
  spanIdOf,
  traceIdOf,
} from './column-filling.ts'
import { atNs } from './test-time.ts'

/** A log record in a test: what is left out is plain and the same for all. */
export interface LogLiteral extends OriginLiteral {
  /** Where it is left out, equal literals have equal ids. */
  id?: string
  trace?: string
  span?: string
  body?: string
  /** After the base time. */
  atMs?: number
  /** Wins over `atMs`. */
  timeNs?: bigint
  observedNs?: bigint
  severityNumber?: number
  severityText?: string
  eventName?: string
  flags?: number
  droppedAttributes?: number
  attributes?: Attributes
}

/** What a store answers for this literal. */
export function logOf(literal: LogLiteral): LogRecord {
  const timeNs = literal.timeNs ?? atNs(literal.atMs ?? 0)
  return {
    id: literal.id === undefined ? contentId(literal) : traceIdOf(literal.id),
    timeNs,
    observedNs: literal.observedNs ?? timeNs,
    severityNumber: literal.severityNumber ?? 9,
    severityText: literal.severityText ?? 'INFO',
    body: literal.body ?? 'hello',
    template: logTemplate(literal.body ?? 'hello'),
    eventName: literal.eventName ?? '',
    traceId: literal.trace === undefined ? '' : traceIdOf(literal.trace),
    spanId: literal.span === undefined ? '' : spanIdOf(literal.span),
    flags: literal.flags ?? 0,
    droppedAttributes: literal.droppedAttributes ?? 0,
    attributes: literal.attributes ?? {},
    ...originFieldsOf(literal),
  }
}

function contentId(literal: LogLiteral): string {
  const content = JSON.stringify(literal, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

/** Adds the records to `columns`, or to new ones. */
export function logColumnsOf(literals: LogLiteral[], columns = new LogColumns()): LogColumns {
  for (const literal of literals) pushLog(columns, literal)
  return columns
}

function pushLog(columns: LogColumns, literal: LogLiteral): void {
  columns.reserveRow()
  const row = columns.length
  const log = logOf(literal)
  setId(columns.ids, row, log.id)
  setId(columns.traceIds, row, traceIdOf(log.traceId))
  setId(columns.spanIds, row, spanIdOf(log.spanId))
  columns.timeNs[row] = log.timeNs
  columns.observedNs[row] = log.observedNs
  columns.severityNumbers[row] = log.severityNumber
  columns.flags[row] = log.flags
  columns.droppedAttributes[row] = log.droppedAttributes
  columns.originIndexes[row] = originIndexOf(columns.origins, literal)
  pushText(columns.severityTexts, log.severityText)
  pushText(columns.bodies, log.body)
  pushText(columns.eventNames, log.eventName)
  pushText(columns.attributes, attributesJson(log.attributes))
  pushText(columns.templates, log.template)
  columns.keySetHalves.set(keySetOf(log.attributes), row * 2)
  columns.length++
}
