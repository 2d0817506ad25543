import type { Values } from './otlp-records.ts'
import { isTime, timeOf } from './relative-time.ts'
import { pairOf, unquoted, wordsOf } from './words.ts'

export interface SpanLine {
  service: string
  kind: string
  operation: string
  durationMs: number
  /** The duration varies by so much either way. */
  jitterMs: number
  /** Of its start from that of its parent. */
  offsetMs: number
  fails: boolean
  message: string
  exception: Values | undefined
  /** Its parent is none of these spans. */
  orphan: boolean
  /** Comes with the next stage. */
  late: boolean
  id: string
  links: string[]
  attributes: Values
  resource: Values
}

const KINDS = new Set(['SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER', 'INTERNAL'])

/**
 * `service KIND operation 50ms`, then any of: `~5ms` jitter, `+3ms` after the start of its parent, `fails` or `fails=10%`,
 * `message="…"`, `exception=Type:"message"`, `orphan`, `late`, `id=x`, `link=x`, attributes `key=value`, and those of the resource
 * `@key=value`.
 */
export function spanLineOf(text: string, repetition: number): SpanLine {
  const [service = '', kind = '', operation = '', duration = '', ...rest] = wordsOf(text)
  if (!KINDS.has(kind)) throw new Error(`${JSON.stringify(kind)} is no kind of span: ${text}`)
  const span: SpanLine = {
    service: unquoted(service),
    kind,
    operation: unquoted(operation),
    durationMs: timeOf(duration),
    jitterMs: 0,
    offsetMs: 0,
    fails: false,
    message: '',
    exception: undefined,
    orphan: false,
    late: false,
    id: '',
    links: [],
    attributes: {},
    resource: {},
  }
  for (const word of rest) readWord(span, word, repetition)
  return span
}

function readWord(span: SpanLine, word: string, repetition: number): void {
  if (word === 'fails') span.fails = true
  else if (word === 'orphan') span.orphan = true
  else if (word === 'late') span.late = true
  else if (word.startsWith('~')) span.jitterMs = timeOf(word.slice(1))
  else if (isTime(word)) span.offsetMs = timeOf(word)
  else readPair(span, word, repetition)
}

function readPair(span: SpanLine, word: string, repetition: number): void {
  const [key, value] = pairOf(word) ?? []
  if (key === undefined || value === undefined) throw new Error(`what does ${JSON.stringify(word)} say of a span?`)
  if (key === 'fails') span.fails = isAmong(Number.parseFloat(String(value)) / 100, repetition)
  else if (key === 'message') span.message = String(value)
  else if (key === 'exception') span.exception = exceptionOf(word.slice('exception='.length))
  else if (key === 'id') span.id = String(value)
  else if (key === 'link') span.links.push(String(value))
  else if (key.startsWith('@')) span.resource[key.slice(1)] = value
  else span.attributes[key] = value
}

/** Spreads a share evenly, so that of 10 % it is every tenth. */
function isAmong(share: number, repetition: number): boolean {
  return Math.floor((repetition + 1) * share + 1e-9) > Math.floor(repetition * share + 1e-9)
}

function exceptionOf(text: string): Values {
  const at = text.indexOf(':"')
  if (at === -1) return { 'exception.type': text }
  return { 'exception.type': text.slice(0, at), 'exception.message': unquoted(text.slice(at + 1)) }
}
