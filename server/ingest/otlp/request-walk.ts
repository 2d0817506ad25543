import { type Origin, UNKNOWN_SERVICE } from '../../domain/columns/origin.ts'
import { TextColumn } from '../../domain/columns/text-column.ts'
import { AttributeWriter } from './attribute-writer.ts'
import { pushText } from './plain-text.ts'
import { serviceNameOf } from './service-name.ts'
import type { Tally } from './tally.ts'
import { stringOf } from './utf8.ts'
import { BYTES, type MessageShape, tagOf, WireReader } from './wire-reader.ts'

/** The three signals share their outer messages' field numbers; only the names differ. */
export interface RequestShape {
  request: MessageShape
  perResource: MessageShape
  perScope: MessageShape
}

export function requestShape(request: string, ofResource: string, ofScope: string, records: string): RequestShape {
  const snake = (name: string) => name.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
  return {
    request: { name: request, fields: { 1: snake(ofResource) } },
    perResource: { name: ofResource, fields: { 1: 'resource', 2: snake(ofScope) } },
    perScope: { name: ofScope, fields: { 1: 'scope', 2: records } },
  }
}

const RESOURCE: MessageShape = { name: 'Resource', fields: { 1: 'attributes' } }
const SCOPE: MessageShape = { name: 'InstrumentationScope', fields: { 1: 'name', 2: 'version' } }
const FIRST = tagOf(1, BYTES)
const SECOND = tagOf(2, BYTES)
/** What most resources take. */
const SCRATCH_BYTES = 1024

/** Goes through the resources and scopes of a request and shows each record with its origin. */
export class RequestWalk {
  readonly reader: WireReader
  readonly attributes: AttributeWriter
  /** Of the record that is being visited; another object for every pair of resource and scope. */
  origin: Origin = { serviceName: UNKNOWN_SERVICE, resourceJson: '{}', scopeName: '', scopeVersion: '' }
  private readonly shape: RequestShape
  private readonly tally: Tally
  private readonly scratch = new TextColumn(SCRATCH_BYTES)

  constructor(body: Uint8Array, shape: RequestShape, tally: Tally) {
    this.reader = new WireReader(body, shape.request.name)
    this.attributes = new AttributeWriter(this.reader)
    this.shape = shape
    this.tally = tally
  }

  /** `visit` finds the reader inside a record, from its first field to its end. */
  each(visit: () => void): void {
    this.eachMessage(FIRST, this.shape.request, () => this.resource(visit))
  }

  /** Reads the text field that comes next as a string, within the limits of a text. */
  text(): string {
    const { reader, scratch } = this
    const end = reader.fieldEnd()
    scratch.clear()
    if (pushText(scratch, reader, reader.pos, end)) this.tally.truncatedAttributes++
    reader.pos = end
    return scratch.textOf(0)
  }

  private resource(visit: () => void): void {
    const { reader, attributes, scratch } = this
    const start = reader.pos
    scratch.clear()
    const outer = attributes.open()
    // What records belong to may stand behind them on the wire, so it is looked for first.
    this.eachMessage(FIRST, this.shape.perResource, () => this.resourceAttributes())
    const resourceJson = attributes.close(scratch, outer) ? stringOf(scratch.bytes, 0, scratch.byteLength) : '{}'
    this.tally.truncatedAttributes += attributes.dropped
    attributes.dropped = 0
    const serviceName = serviceNameOf(resourceJson)
    reader.pos = start
    this.eachMessage(SECOND, this.shape.perResource, () => this.scope(serviceName, resourceJson, visit))
  }

  private resourceAttributes(): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === FIRST) this.attributes.add(this.scratch)
      else reader.skip(tag, RESOURCE)
    }
  }

  private scope(serviceName: string, resourceJson: string, visit: () => void): void {
    const start = this.reader.pos
    const origin = { serviceName, resourceJson, scopeName: '', scopeVersion: '' }
    this.eachMessage(FIRST, this.shape.perScope, () => this.scopeNames(origin))
    this.origin = origin
    this.reader.pos = start
    this.eachMessage(SECOND, this.shape.perScope, visit)
  }

  private scopeNames(origin: Origin): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === FIRST) origin.scopeName = this.text()
      else if (tag === SECOND) origin.scopeVersion = this.text()
      else reader.skip(tag, SCOPE)
    }
  }

  /** Goes into every field that has this tag and passes over all others. */
  private eachMessage(tag: number, shape: MessageShape, read: () => void): void {
    const { reader } = this
    for (let next = reader.tag(); next !== 0; next = reader.tag()) {
      if (next === tag) {
        const outer = reader.enter()
        const { end } = reader
        read()
        reader.pos = end
        reader.end = outer
      } else if (next === FIRST || next === SECOND) reader.skipField(next)
      else reader.skip(next, shape)
    }
  }
}
