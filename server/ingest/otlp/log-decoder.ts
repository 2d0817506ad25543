import type { LogColumns } from '../../domain/columns/log-columns.ts'
import { findValue, joined, STRING_VALUE } from './any-value.ts'
import type { AttributeWriter } from './attribute-writer.ts'
import { readId } from './ids.ts'
import { addKey } from './key-hash.ts'
import { type DecodeLimits, RECORDS_MAX } from './limits.ts'
import { BODY_JSON, BODY_NONE, BODY_TEXT, type BodyKind, LogId } from './log-id.ts'
import { LogTemplates } from './log-templates.ts'
import { pushText } from './plain-text.ts'
import type { RequestWalk } from './request-walk.ts'
import { type Refusal, type Tally, TOO_MANY, timeRefusals } from './tally.ts'
import { TimeBounds } from './time-bounds.ts'
import { BYTES, FIXED32, FIXED64, type MessageShape, tagOf, VARINT, type WireReader } from './wire-reader.ts'

const LOG_RECORD: MessageShape = {
  name: 'LogRecord',
  fields: {
    1: 'time_unix_nano',
    2: 'severity_number',
    3: 'severity_text',
    5: 'body',
    6: 'attributes',
    7: 'dropped_attributes_count',
    8: 'flags',
    9: 'trace_id',
    10: 'span_id',
    11: 'observed_time_unix_nano',
    12: 'event_name',
  },
}
const TIME = tagOf(1, FIXED64)
const SEVERITY_NUMBER = tagOf(2, VARINT)
const SEVERITY_TEXT = tagOf(3, BYTES)
const BODY = tagOf(5, BYTES)
const ATTRIBUTES = tagOf(6, BYTES)
const DROPPED_ATTRIBUTES = tagOf(7, VARINT)
const FLAGS = tagOf(8, FIXED32)
const TRACE_ID = tagOf(9, BYTES)
const SPAN_ID = tagOf(10, BYTES)
const OBSERVED = tagOf(11, FIXED64)
const EVENT_NAME = tagOf(12, BYTES)

const SEVERITY_MAX = 24

/** Of all requests: the same statements write again and again. */
const templates = new LogTemplates()

/** Decodes log records, one at a time, into the next row of the columns. */
export class LogDecoder {
  private readonly walk: RequestWalk
  private readonly reader: WireReader
  private readonly attributes: AttributeWriter
  private readonly tally: Tally
  private readonly out: LogColumns
  private readonly bounds: TimeBounds
  private readonly dated: { future: Refusal; past: Refusal }
  private readonly nowHi: number
  private readonly nowLo: number
  private readonly id = new LogId()
  /** As they were sent: 0 for none. */
  timeHi = 0
  timeLo = 0
  observedHi = 0
  observedLo = 0
  private severityStart = 0
  private severityEnd = 0
  private eventStart = 0
  private eventEnd = 0
  private bodyStart = 0
  private bodyEnd = 0
  private bodyParts = 0

  constructor(walk: RequestWalk, limits: DecodeLimits, tally: Tally, out: LogColumns) {
    this.walk = walk
    this.reader = walk.reader
    this.attributes = walk.attributes
    this.tally = tally
    this.out = out
    this.bounds = new TimeBounds(limits)
    this.dated = timeRefusals(limits, 'is dated', 'are dated')
    this.nowHi = Number(BigInt.asUintN(32, limits.nowNs >> 32n))
    this.nowLo = Number(BigInt.asUintN(32, limits.nowNs))
  }

  /** Decodes the record from the reader's `pos` to its `end`. */
  decode(): void {
    const { out, attributes } = this
    const { pos: start, end } = this.reader
    out.reserveRow()
    const row = out.length
    this.begin(row)
    const outer = attributes.open()
    this.readFields(row)
    attributes.close(out.attributes, outer)
    const refusal = this.refusal(row)
    if (refusal === undefined) this.finish(row, start, end)
    else {
      out.attributes.truncate(row)
      this.tally.add(refusal)
    }
    attributes.dropped = 0
  }

  private begin(row: number): void {
    const { out } = this
    this.timeHi = this.timeLo = 0
    this.observedHi = this.observedLo = 0
    this.severityStart = this.severityEnd = 0
    this.eventStart = this.eventEnd = 0
    this.bodyStart = this.bodyEnd = this.bodyParts = 0
    out.traceIdWords.fill(0, row * 4, row * 4 + 4)
    out.spanIdWords.fill(0, row * 2, row * 2 + 2)
    out.severityNumbers[row] = 0
    out.flags[row] = 0
    out.droppedAttributes[row] = 0
    out.keySetHalves[row * 2] = out.keySetHalves[row * 2 + 1] = 0
  }

  private readFields(row: number): void {
    const { reader, out, attributes } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      switch (tag) {
        case ATTRIBUTES:
          attributes.add(out.attributes)
          addKey(out.keySetHalves, row, attributes.keyHash)
          break
        case TIME:
          reader.fixed64()
          this.timeHi = reader.hi
          this.timeLo = reader.lo
          break
        case OBSERVED:
          reader.fixed64()
          this.observedHi = reader.hi
          this.observedLo = reader.lo
          break
        case SEVERITY_NUMBER:
          out.severityNumbers[row] = reader.enumCode(SEVERITY_MAX)
          break
        case SEVERITY_TEXT:
          this.severityEnd = reader.fieldEnd()
          this.severityStart = reader.pos
          reader.pos = this.severityEnd
          break
        case BODY:
          this.bodyEnd = reader.fieldEnd()
          this.bodyStart = reader.pos
          reader.pos = this.bodyEnd
          this.bodyParts++
          break
        case DROPPED_ATTRIBUTES:
          out.droppedAttributes[row] = reader.uint32()
          break
        case FLAGS:
          out.flags[row] = reader.fixed32()
          break
        case TRACE_ID:
          readId(reader, out.traceIdWords, row * 4, 4)
          break
        case SPAN_ID:
          readId(reader, out.spanIdWords, row * 2, 2)
          break
        case EVENT_NAME:
          this.eventEnd = reader.fieldEnd()
          this.eventStart = reader.pos
          reader.pos = this.eventEnd
          break
        default:
          reader.skip(tag, LOG_RECORD)
      }
    }
  }

  /** Why the record cannot be stored. Writes its times. */
  private refusal(row: number): Refusal | undefined {
    const { out, bounds } = this
    const hasTime = (this.timeHi | this.timeLo) !== 0
    const wasObserved = (this.observedHi | this.observedLo) !== 0
    const hi = hasTime ? this.timeHi : wasObserved ? this.observedHi : this.nowHi
    const lo = hasTime ? this.timeLo : wasObserved ? this.observedLo : this.nowLo
    if (bounds.isTooNew(hi, lo)) return this.dated.future
    if (bounds.isTooOld(hi, lo)) return this.dated.past
    if (row >= RECORDS_MAX) return TOO_MANY
    out.timeNsHalves[row * 2] = lo
    out.timeNsHalves[row * 2 + 1] = hi
    // A time that 63 bits cannot hold says nothing.
    const fits = this.observedHi < 0x8000_0000
    out.observedNsHalves[row * 2] = fits ? this.observedLo : 0
    out.observedNsHalves[row * 2 + 1] = fits ? this.observedHi : 0
    return undefined
  }

  private finish(row: number, start: number, end: number): void {
    const { out, attributes, reader, walk, tally } = this
    if (pushText(out.severityTexts, reader, this.severityStart, this.severityEnd)) attributes.dropped++
    if (pushText(out.eventNames, reader, this.eventStart, this.eventEnd)) attributes.dropped++
    out.attributes.endRow()
    const bodyKind = this.body(start, end)
    templates.push(out.templates, out.bodies, row)
    if (out.origins[out.origins.length - 1] !== walk.origin) out.origins.push(walk.origin)
    out.originIndexes[row] = out.origins.length - 1
    out.droppedAttributes[row] = Math.min((out.droppedAttributes[row] as number) + attributes.dropped, 0xffff_ffff)
    tally.truncatedAttributes += attributes.dropped
    tally.accepted++
    this.id.write(out, row, walk.origin, this, bodyKind)
    out.length++
  }

  /** Writes the body of the record that lies from `start` to `end`. */
  private body(start: number, end: number): BodyKind {
    const { attributes } = this
    const { bodies } = this.out
    const reader = this.bodyReader(start, end)
    const valueStart = reader.pos
    const found = findValue(reader)
    if (found.tag === STRING_VALUE) {
      reader.pos = found.start
      reader.tag()
      const textEnd = reader.fieldEnd()
      if (pushText(bodies, reader, reader.pos, textEnd)) attributes.dropped++
      return BODY_TEXT
    }
    if (found.tag !== 0) {
      reader.pos = valueStart
      if (attributes.value(bodies, reader)) attributes.dropped++
    }
    bodies.endRow()
    return found.tag === 0 ? BODY_NONE : BODY_JSON
  }

  /** A reader of the body's AnyValue. */
  private bodyReader(start: number, end: number): WireReader {
    const { reader } = this
    if (this.bodyParts > 1) {
      reader.end = end
      return joined(reader, start, BODY)
    }
    reader.pos = this.bodyStart
    reader.end = this.bodyEnd
    return reader
  }
}
