import type { TextColumn } from '../../domain/columns/text-column.ts'
import type { AttributeWriter } from './attribute-writer.ts'
import { writeUint64 } from './json-number.ts'
import { writeAscii, writeByte, writeHex, writeRaw, writeString } from './json-text.ts'
import { VALUE_BYTES_MAX } from './limits.ts'
import { BYTES, FIXED64, type MessageShape, tagOf, type WireReader } from './wire-reader.ts'

const EVENT: MessageShape = { name: 'Span.Event', fields: { 1: 'time_unix_nano', 2: 'name', 3: 'attributes' } }
const EVENT_TIME = tagOf(1, FIXED64)
const EVENT_NAME = tagOf(2, BYTES)
const EVENT_ATTRIBUTES = tagOf(3, BYTES)

const LINK: MessageShape = { name: 'Span.Link', fields: { 1: 'trace_id', 2: 'span_id', 4: 'attributes' } }
const LINK_TRACE_ID = tagOf(1, BYTES)
const LINK_SPAN_ID = tagOf(2, BYTES)
const LINK_ATTRIBUTES = tagOf(4, BYTES)

const NAME = Buffer.from('{"name":')
const TIME = Buffer.from(',"timeUnixNano":"')
const ATTRIBUTES = Buffer.from(',"attributes":')
const TRACE_ID = Buffer.from('{"traceId":')
const SPAN_ID = Buffer.from(',"spanId":')

/** Writes the event from the reader's `pos` to its `end` as a JSON object. */
export function writeEvent(reader: WireReader, attributes: AttributeWriter, column: TextColumn): void {
  let nameStart = 0
  let nameEnd = 0
  let hi = 0
  let lo = 0
  let attributesStart = reader.end
  for (let start = reader.pos, tag = reader.tag(); tag !== 0; start = reader.pos, tag = reader.tag()) {
    switch (tag) {
      case EVENT_TIME:
        reader.fixed64()
        hi = reader.hi
        lo = reader.lo
        break
      case EVENT_NAME:
        nameEnd = reader.fieldEnd()
        nameStart = reader.pos
        reader.pos = nameEnd
        break
      case EVENT_ATTRIBUTES:
        attributesStart = Math.min(attributesStart, start)
        reader.skipField(tag)
        break
      default:
        reader.skip(tag, EVENT)
    }
  }
  writeRaw(column, NAME)
  if (writeString(column, reader, nameStart, nameEnd, VALUE_BYTES_MAX)) attributes.dropped++
  writeRaw(column, TIME)
  writeUint64(column, hi, lo)
  writeByte(column, 0x22)
  writeAttributes(reader, attributes, column, attributesStart, EVENT_ATTRIBUTES)
}

/** Writes the link from the reader's `pos` to its `end` as a JSON object; an id of a wrong length is left empty. */
export function writeLink(reader: WireReader, attributes: AttributeWriter, column: TextColumn): void {
  let traceStart = 0
  let traceEnd = 0
  let spanStart = 0
  let spanEnd = 0
  let attributesStart = reader.end
  for (let start = reader.pos, tag = reader.tag(); tag !== 0; start = reader.pos, tag = reader.tag()) {
    switch (tag) {
      case LINK_TRACE_ID:
        traceEnd = reader.fieldEnd()
        traceStart = reader.pos
        reader.pos = traceEnd
        break
      case LINK_SPAN_ID:
        spanEnd = reader.fieldEnd()
        spanStart = reader.pos
        reader.pos = spanEnd
        break
      case LINK_ATTRIBUTES:
        attributesStart = Math.min(attributesStart, start)
        reader.skipField(tag)
        break
      default:
        reader.skip(tag, LINK)
    }
  }
  writeRaw(column, TRACE_ID)
  writeHex(column, reader.bytes, traceStart, traceEnd - traceStart === 16 ? traceEnd : traceStart)
  writeRaw(column, SPAN_ID)
  writeHex(column, reader.bytes, spanStart, spanEnd - spanStart === 8 ? spanEnd : spanStart)
  writeAttributes(reader, attributes, column, attributesStart, LINK_ATTRIBUTES)
}

/** Ends the object with the attributes that are found from `start` on. */
function writeAttributes(
  reader: WireReader,
  attributes: AttributeWriter,
  column: TextColumn,
  start: number,
  attributesTag: number,
): void {
  writeRaw(column, ATTRIBUTES)
  const outer = attributes.open()
  reader.pos = start
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === attributesTag) attributes.add(column)
    else reader.skipField(tag)
  }
  if (!attributes.close(column, outer)) writeAscii(column, '{}')
  writeByte(column, 0x7d)
}
