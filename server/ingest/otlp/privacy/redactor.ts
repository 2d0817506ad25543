import type { PrivacyPolicy } from '../../../domain/privacy-rule.ts'
import { compilePolicy, maskedText, type PlacePlan, type TextPlan } from '../../../privacy/compiled-policy.ts'
import type { Mask } from '../../../privacy/mask.ts'
import type { Signal } from '../../ingest.ts'
import {
  ARRAY_VALUE,
  BOOL_VALUE,
  BYTES_VALUE,
  DOUBLE_VALUE,
  INT_VALUE,
  KVLIST_VALUE,
  STRING_VALUE,
} from '../any-value.ts'
import { VALUE_DEPTH_MAX } from '../limits.ts'
import { ProtoWriter } from '../proto-writer.ts'
import { stringOf, utf8Of } from '../utf8.ts'
import { BYTES, tagOf, WireReader } from '../wire-reader.ts'
import { Edits } from './edits.ts'
import { requestShapes, type Shape } from './request-shapes.ts'

const KEY = tagOf(1, BYTES)
const VALUE = tagOf(2, BYTES)
const VALUES = tagOf(1, BYTES)

/** Applies the rules of a Grid to requests before anything else reads them. */
export interface Redactor {
  /** A request in protobuf as it may be kept; the very bytes where no rule finds anything in it. */
  redacted(signal: Signal, body: Uint8Array): Uint8Array
}

/** Undefined where there is nothing to apply. */
export function createRedactor(policy: PrivacyPolicy): Redactor | undefined {
  const shapes = requestShapes(compilePolicy(policy))
  if (!shapes.traces && !shapes.logs && !shapes.metrics) return undefined
  return {
    redacted(signal, body) {
      const shape = shapes[signal]
      return shape ? new Redaction(body, signal).of(shape) : body
    },
  }
}

/** Goes once through a request. What the decoder makes of a message that is sent in parts, each part is looked at by itself. */
class Redaction {
  private readonly reader: WireReader
  private readonly edits = new Edits()

  constructor(body: Uint8Array, signal: Signal) {
    this.reader = new WireReader(body, `the request of ${signal}`)
  }

  of(shape: Shape): Uint8Array {
    this.message(shape)
    return this.edits.any ? this.edits.appliedTo(this.reader.bytes) : this.reader.bytes
  }

  private message(shape: Shape): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      const field = tag > 0 && tag < 128 ? shape[tag] : undefined
      if (field === undefined) reader.skipField(tag)
      else if (field.kind === 'message') this.inside(() => this.message(field.shape))
      else if (field.kind === 'attribute') this.inside(() => this.pair(field.plan, NO_NAMES, 1))
      else if (field.kind === 'text') this.inside(() => this.text(field.plan.texts))
      else this.inside(() => this.value(field.plan, field.plan.texts, NO_NAMES, 1))
    }
  }

  /** Goes into the field whose length comes next, and notes its new length where something in it changes. */
  private inside(visit: () => void): void {
    const { reader, edits } = this
    const lengthStart = reader.pos
    const outer = reader.enter()
    const { pos: start, end } = reader
    const mark = edits.count
    edits.enter(lengthStart, start)
    visit()
    edits.leave(mark, end - start)
    reader.pos = end
    reader.end = outer
  }

  /** The KeyValue from `pos` to `end`. Its key may stand behind its value, and the last one counts. */
  private pair(place: PlacePlan, outerNames: readonly string[], depth: number): void {
    const { reader } = this
    const start = reader.pos
    let key = ''
    let hasLists = false
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === KEY) key = this.nextText()
      else if (tag === VALUE) hasLists = this.nextHasLists() || hasLists
      else reader.skipField(tag)
    }
    reader.pos = start
    const isOutermost = outerNames.length === 0
    const plan = isOutermost ? place.ofKey(key) : place.ofNames([...outerNames, key])
    if (plan.mask) this.maskPair(key, plan.mask)
    else if (plan.texts.steps.length > 0 || hasLists) {
      for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
        if (tag === VALUE) this.inside(() => this.value(place, plan.texts, [...outerNames, key], depth))
        else reader.skipField(tag)
      }
    }
  }

  private maskPair(key: string, mask: Mask): void {
    const { reader } = this
    const start = reader.pos
    let text = ''
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === VALUE) text += this.nextValueText()
      else reader.skipField(tag)
    }
    const writer = new ProtoWriter()
    writer.tag(1, BYTES)
    writer.string(key)
    writer.message(2, () => {
      writer.tag(1, BYTES)
      writer.string(mask(text))
    })
    this.edits.replace(start, reader.end, writer.finish())
  }

  /** The AnyValue from `pos` to `end`. */
  private value(place: PlacePlan, plan: TextPlan, names: readonly string[], depth: number): void {
    const { reader } = this
    for (;;) {
      const start = reader.pos
      const tag = reader.tag()
      if (tag === 0) return
      if (tag === STRING_VALUE) this.inside(() => this.text(plan))
      else if (tag === INT_VALUE || tag === DOUBLE_VALUE || tag === BYTES_VALUE) this.other(start, tag, plan)
      else if (depth >= VALUE_DEPTH_MAX) reader.skipField(tag)
      else if (tag === ARRAY_VALUE) this.inside(() => this.elements(place, plan, names, depth))
      else if (tag === KVLIST_VALUE) this.inside(() => this.pairs(place, names, depth))
      else reader.skipField(tag)
    }
  }

  private elements(place: PlacePlan, plan: TextPlan, names: readonly string[], depth: number): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === VALUES) this.inside(() => this.value(place, plan, names, depth + 1))
      else reader.skipField(tag)
    }
  }

  private pairs(place: PlacePlan, names: readonly string[], depth: number): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === VALUES) this.inside(() => this.pair(place, names, depth + 1))
      else reader.skipField(tag)
    }
  }

  /** The text from `pos` to `end`. */
  private text(plan: TextPlan): void {
    if (plan.steps.length === 0) return
    const { reader, edits } = this
    const text = stringOf(reader.bytes, reader.pos, reader.end)
    const masked = maskedText(text, plan)
    if (masked !== text) edits.replace(reader.pos, reader.end, utf8Of(masked))
  }

  /** A value that is no text, but may be read as one, and becomes one where something is found in it. `start` is where its tag stands. */
  private other(start: number, tag: number, plan: TextPlan): void {
    const { reader, edits } = this
    const text = this.textOfOther(tag)
    if (plan.steps.length === 0 || (tag !== BYTES_VALUE && text.length < plan.digitsMin)) return
    const masked = maskedText(text, plan)
    if (masked === text) return
    const writer = new ProtoWriter()
    writer.tag(1, BYTES)
    writer.string(masked)
    edits.replace(start, reader.pos, writer.finish())
  }

  private textOfOther(tag: number): string {
    const { reader } = this
    if (tag === DOUBLE_VALUE) return String(reader.double())
    if (tag === BYTES_VALUE) return this.nextText()
    reader.varint()
    return reader.hi === 0
      ? String(reader.lo)
      : String(BigInt.asIntN(64, (BigInt(reader.hi) << 32n) | BigInt(reader.lo)))
  }

  private nextText(): string {
    const { reader } = this
    const end = reader.fieldEnd()
    const text = stringOf(reader.bytes, reader.pos, end)
    reader.pos = end
    return text
  }

  private nextHasLists(): boolean {
    const { reader } = this
    const outer = reader.enter()
    let found = false
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === ARRAY_VALUE || tag === KVLIST_VALUE) found = true
      reader.skipField(tag)
    }
    reader.end = outer
    return found
  }

  /** What is hashed of a value: the text that it is read as, or the bytes of one that has parts. */
  private nextValueText(): string {
    const { reader } = this
    const outer = reader.enter()
    const { pos: start, end } = reader
    const tag = reader.tag()
    let text = ''
    if (tag === STRING_VALUE) text = this.nextText()
    else if (tag === INT_VALUE || tag === DOUBLE_VALUE || tag === BYTES_VALUE) text = this.textOfOther(tag)
    else if (tag === BOOL_VALUE) text = String(reader.bool())
    if (reader.pos !== end || tag === 0) text = Buffer.from(reader.bytes.subarray(start, end)).toString('latin1')
    reader.pos = end
    reader.end = outer
    return text
  }
}

const NO_NAMES: readonly string[] = []
