import type { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { AttributeWriter } from './attribute-writer.ts'
import { CallNotes } from './call-notes.ts'
import { readId } from './ids.ts'
import { writeByte } from './json-text.ts'
import { addKey } from './key-hash.ts'
import { BACKWARDS_NS_MAX, type DecodeLimits, EVENTS_MAX, LINKS_MAX, RECORDS_MAX } from './limits.ts'
import { pushText } from './plain-text.ts'
import type { RequestWalk } from './request-walk.ts'
import { writeEvent, writeLink } from './span-details.ts'
import { type Refusal, type Tally, TOO_MANY, timeRefusals } from './tally.ts'
import { TimeBounds } from './time-bounds.ts'
import { BYTES, FIXED32, FIXED64, type MessageShape, tagOf, VARINT, type WireReader } from './wire-reader.ts'

const SPAN: MessageShape = {
  name: 'Span',
  fields: {
    1: 'trace_id',
    2: 'span_id',
    3: 'trace_state',
    4: 'parent_span_id',
    5: 'name',
    6: 'kind',
    7: 'start_time_unix_nano',
    8: 'end_time_unix_nano',
    9: 'attributes',
    10: 'dropped_attributes_count',
    11: 'events',
    13: 'links',
    15: 'status',
    16: 'flags',
  },
}
const TRACE_ID = tagOf(1, BYTES)
const SPAN_ID = tagOf(2, BYTES)
const TRACE_STATE = tagOf(3, BYTES)
const PARENT_ID = tagOf(4, BYTES)
const NAME = tagOf(5, BYTES)
const KIND = tagOf(6, VARINT)
const START = tagOf(7, FIXED64)
const END = tagOf(8, FIXED64)
const ATTRIBUTES = tagOf(9, BYTES)
const DROPPED_ATTRIBUTES = tagOf(10, VARINT)
const EVENTS = tagOf(11, BYTES)
const LINKS = tagOf(13, BYTES)
const STATUS = tagOf(15, BYTES)
const FLAGS = tagOf(16, FIXED32)

const STATUS_SHAPE: MessageShape = { name: 'Status', fields: { 2: 'message', 3: 'code' } }
const STATUS_MESSAGE = tagOf(2, BYTES)
const STATUS_CODE = tagOf(3, VARINT)

const KIND_MAX = 5
const STATUS_MAX = 2
const COMMA = 0x2c
const TWO_32 = 0x1_0000_0000

const NO_TRACE_ID: Refusal = { one: 'has no valid trace id', many: 'have no valid trace id' }
const NO_SPAN_ID: Refusal = { one: 'has no valid span id', many: 'have no valid span id' }
const BACKWARDS: Refusal = {
  one: 'ends more than 60 seconds before it starts',
  many: 'end more than 60 seconds before they start',
}

/** Kinds by their numbers on the wire. */
const CLIENT = 3
const PRODUCER = 4
const CONSUMER = 5

/** Decodes spans, one at a time, into the next row of the columns. */
export class SpanDecoder {
  private readonly walk: RequestWalk
  private readonly reader: WireReader
  private readonly attributes: AttributeWriter
  private readonly calls: CallNotes
  private readonly tally: Tally
  private readonly out: SpanColumns
  private readonly bounds: TimeBounds
  private readonly starts: { future: Refusal; past: Refusal }
  private readonly endsInFuture: Refusal
  private hasTraceId = false
  private hasSpanId = false
  private nameStart = 0
  private nameEnd = 0
  private stateStart = 0
  private stateEnd = 0
  private messageStart = 0
  private messageEnd = 0
  private eventCount = 0
  private linkCount = 0

  constructor(walk: RequestWalk, limits: DecodeLimits, tally: Tally, out: SpanColumns) {
    this.walk = walk
    this.reader = walk.reader
    this.attributes = walk.attributes
    this.tally = tally
    this.out = out
    this.calls = new CallNotes(out.attributes)
    this.bounds = new TimeBounds(limits)
    this.starts = timeRefusals(limits, 'starts', 'start')
    this.endsInFuture = timeRefusals(limits, 'ends', 'end').future
  }

  /** Decodes the span from the reader's `pos` to its `end`. */
  decode(): void {
    const { out, attributes } = this
    out.reserveRow()
    const row = out.length
    this.begin(row)
    const outer = attributes.open()
    this.readFields(row)
    attributes.close(out.attributes, outer)
    const refusal = this.refusal(row)
    if (refusal === undefined) this.finish(row)
    else {
      out.attributes.truncate(row)
      out.events.truncate(row)
      out.links.truncate(row)
      this.tally.add(refusal)
    }
    attributes.dropped = 0
  }

  private begin(row: number): void {
    const { out } = this
    this.calls.reset()
    this.hasTraceId = false
    this.hasSpanId = false
    this.nameStart = this.nameEnd = 0
    this.stateStart = this.stateEnd = 0
    this.messageStart = this.messageEnd = 0
    this.eventCount = this.linkCount = 0
    out.parentIdWords[row * 2] = out.parentIdWords[row * 2 + 1] = 0
    out.startNsHalves[row * 2] = out.startNsHalves[row * 2 + 1] = 0
    out.durationNsHalves[row * 2] = out.durationNsHalves[row * 2 + 1] = 0
    out.keySetHalves[row * 2] = out.keySetHalves[row * 2 + 1] = 0
    out.kinds[row] = 0
    out.statuses[row] = 0
    out.flags[row] = 0
    out.droppedAttributes[row] = 0
  }

  private readFields(row: number): void {
    const { reader, out, attributes } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      switch (tag) {
        case ATTRIBUTES:
          attributes.add(out.attributes)
          addKey(out.keySetHalves, row, attributes.keyHash)
          this.calls.note(attributes.keyHash, attributes.valueStart)
          break
        case TRACE_ID:
          this.hasTraceId = readId(reader, out.traceIdWords, row * 4, 4)
          break
        case SPAN_ID:
          this.hasSpanId = readId(reader, out.spanIdWords, row * 2, 2)
          break
        case PARENT_ID:
          readId(reader, out.parentIdWords, row * 2, 2)
          break
        case NAME:
          this.nameEnd = reader.fieldEnd()
          this.nameStart = reader.pos
          reader.pos = this.nameEnd
          break
        case KIND:
          out.kinds[row] = reader.enumCode(KIND_MAX)
          break
        case START:
          reader.fixed64()
          out.startNsHalves[row * 2] = reader.lo
          out.startNsHalves[row * 2 + 1] = reader.hi
          break
        case END:
          // Where the duration will be, until it is known when the span started.
          reader.fixed64()
          out.durationNsHalves[row * 2] = reader.lo
          out.durationNsHalves[row * 2 + 1] = reader.hi
          break
        case STATUS:
          this.status(row)
          break
        case FLAGS:
          out.flags[row] = reader.fixed32()
          break
        case DROPPED_ATTRIBUTES:
          out.droppedAttributes[row] = reader.uint32()
          break
        case TRACE_STATE:
          this.stateEnd = reader.fieldEnd()
          this.stateStart = reader.pos
          reader.pos = this.stateEnd
          break
        case EVENTS:
          this.event()
          break
        case LINKS:
          this.link()
          break
        default:
          reader.skip(tag, SPAN)
      }
    }
  }

  private status(row: number): void {
    const { reader } = this
    const outer = reader.enter()
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === STATUS_CODE) this.out.statuses[row] = reader.enumCode(STATUS_MAX)
      else if (tag === STATUS_MESSAGE) {
        this.messageEnd = reader.fieldEnd()
        this.messageStart = reader.pos
        reader.pos = this.messageEnd
      } else reader.skip(tag, STATUS_SHAPE)
    }
    reader.end = outer
  }

  private event(): void {
    const { reader, attributes } = this
    const { events } = this.out
    const outer = reader.enter()
    const { end } = reader
    if (this.eventCount === EVENTS_MAX) attributes.dropped++
    else {
      writeByte(events, this.eventCount++ === 0 ? 0x5b : COMMA)
      writeEvent(reader, attributes, events)
    }
    reader.pos = end
    reader.end = outer
  }

  private link(): void {
    const { reader, attributes } = this
    const { links } = this.out
    const outer = reader.enter()
    const { end } = reader
    if (this.linkCount === LINKS_MAX) attributes.dropped++
    else {
      writeByte(links, this.linkCount++ === 0 ? 0x5b : COMMA)
      writeLink(reader, attributes, links)
    }
    reader.pos = end
    reader.end = outer
  }

  /** Why the span cannot be stored. Puts its duration where its end has been. */
  private refusal(row: number): Refusal | undefined {
    const { bounds, starts } = this
    const { startNsHalves, durationNsHalves } = this.out
    const lo = startNsHalves[row * 2] as number
    const hi = startNsHalves[row * 2 + 1] as number
    const endLo = durationNsHalves[row * 2] as number
    const endHi = durationNsHalves[row * 2 + 1] as number
    if (!this.hasTraceId) return NO_TRACE_ID
    if (!this.hasSpanId) return NO_SPAN_ID
    if (bounds.isTooNew(hi, lo)) return starts.future
    if (bounds.isTooOld(hi, lo)) return starts.past
    if (bounds.isTooNew(endHi, endLo)) return this.endsInFuture
    const backwards = endHi < hi || (endHi === hi && endLo < lo)
    if (backwards && (hi - endHi) * TWO_32 + (lo - endLo) > BACKWARDS_NS_MAX) return BACKWARDS
    if (row >= RECORDS_MAX) return TOO_MANY
    durationNsHalves[row * 2] = backwards ? 0 : endLo - lo
    durationNsHalves[row * 2 + 1] = backwards ? 0 : endHi - hi - (endLo < lo ? 1 : 0)
    return undefined
  }

  private finish(row: number): void {
    const { out, attributes, reader, walk, tally } = this
    if (pushText(out.operations, reader, this.nameStart, this.nameEnd)) attributes.dropped++
    if (pushText(out.statusMessages, reader, this.messageStart, this.messageEnd)) attributes.dropped++
    if (pushText(out.traceStates, reader, this.stateStart, this.stateEnd)) attributes.dropped++
    out.attributes.endRow()
    if (this.eventCount > 0) writeByte(out.events, 0x5d)
    out.events.endRow()
    if (this.linkCount > 0) writeByte(out.links, 0x5d)
    out.links.endRow()
    this.finishCall(row)
    if (out.origins[out.origins.length - 1] !== walk.origin) out.origins.push(walk.origin)
    out.originIndexes[row] = out.origins.length - 1
    out.droppedAttributes[row] = Math.min((out.droppedAttributes[row] as number) + attributes.dropped, TWO_32 - 1)
    tally.truncatedAttributes += attributes.dropped
    tally.accepted++
    out.length++
  }

  private finishCall(row: number): void {
    const { out, calls } = this
    const kind = out.kinds[row]
    out.receives[row] = kind === CONSUMER && calls.receives ? 1 : 0
    if (kind !== CLIENT && kind !== PRODUCER) {
      out.calledNames.pushEmpty()
      out.dependencies.pushEmpty()
      return
    }
    const { named, dependency } = calls.target()
    out.calledNames.pushBytes(named, 0, named.length)
    out.dependencies.pushBytes(dependency, 0, dependency.length)
  }
}
