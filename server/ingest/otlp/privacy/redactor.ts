import type { PrivacyPolicy } from '../../../domain/privacy-rule.ts'
import {
  compilePolicy,
  type KeyPlan,
  maskedText,
  type PlacePlan,
  type TextPlan,
} from '../../../privacy/compiled-policy.ts'
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
import { KnownTexts } from './known-texts.ts'
import { requestShapes, type Shape } from './request-shapes.ts'

/** Both outlive requests and serve all Grids. */
const KEY_PLANS = new KnownTexts<PlacePlan, KeyPlan>()
const CLEAN_TEXTS = new KnownTexts<TextPlan, true>()

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
      if (field === undefined) {
        reader.skipField(tag)
        continue
      }
      const outer = this.enter()
      if (field.kind === 'message') this.message(field.shape)
      else if (field.kind === 'attribute') this.pair(field.plan, NO_NAMES, 1)
      else if (field.kind === 'text') this.text(field.plan.texts)
      else this.value(field.plan, field.plan.texts, NO_NAMES, 1)
      this.leave(outer)
    }
  }

  /** Goes into the field whose length comes next. The answer is for `leave`. */
  private enter(): number {
    const { reader } = this
    const lengthStart = reader.pos
    const outer = reader.enter()
    this.edits.enter(lengthStart, reader.pos, reader.end)
    return outer
  }

  private leave(outer: number): void {
    const { reader } = this
    this.edits.leave()
    reader.pos = reader.end
    reader.end = outer
  }

  /** The KeyValue from `pos` to `end`. Its key may stand behind its value, and the last one counts. */
  private pair(place: PlacePlan, outerNames: readonly string[], depth: number): void {
    const { reader } = this
    const start = reader.pos
    let keyStart = 0
    let keyEnd = 0
    let hasLists = false
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === KEY) {
        keyEnd = reader.fieldEnd()
        keyStart = reader.pos
        reader.pos = keyEnd
      } else if (tag === VALUE) hasLists = this.nextHasLists() || hasLists
      else reader.skipField(tag)
    }
    reader.pos = start
    const plan = this.planOf(place, outerNames, keyStart, keyEnd)
    if (plan.mask) this.maskPair(keyStart, keyEnd, plan.mask)
    else if (plan.texts.steps.length > 0 || hasLists) {
      const names = hasLists ? [...outerNames, stringOf(reader.bytes, keyStart, keyEnd)] : NO_NAMES
      for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
        if (tag === VALUE) {
          const outer = this.enter()
          this.value(place, plan.texts, names, depth)
          this.leave(outer)
        } else reader.skipField(tag)
      }
    }
  }

  private planOf(place: PlacePlan, outerNames: readonly string[], keyStart: number, keyEnd: number): KeyPlan {
    const { bytes } = this.reader
    if (outerNames.length > 0) return place.ofNames([...outerNames, stringOf(bytes, keyStart, keyEnd)])
    const known = KEY_PLANS.find(place, bytes, keyStart, keyEnd)
    if (known !== undefined) return known
    const plan = place.ofNames([stringOf(bytes, keyStart, keyEnd)])
    KEY_PLANS.keep(place, bytes, keyStart, keyEnd, plan)
    return plan
  }

  private maskPair(keyStart: number, keyEnd: number, mask: Mask): void {
    const { reader } = this
    const start = reader.pos
    let text = ''
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === VALUE) text += this.nextValueText()
      else reader.skipField(tag)
    }
    const writer = new ProtoWriter()
    writer.tag(1, BYTES)
    writer.blob(reader.bytes.subarray(keyStart, keyEnd))
    writer.message(2, () => {
      writer.tag(1, BYTES)
      writer.string(mask(text))
    })
    this.edits.replace(start, reader.end, writer.finish())
  }

  /** The AnyValue from `pos` to `end`. */
  private value(place: PlacePlan, plan: TextPlan, names: readonly string[], depth: number): void {
    const { reader } = this
    for (let start = reader.pos, tag = reader.tag(); tag !== 0; start = reader.pos, tag = reader.tag()) {
      if (tag === INT_VALUE || tag === DOUBLE_VALUE || tag === BYTES_VALUE) this.other(start, tag, plan)
      else if (tag === STRING_VALUE || ((tag === ARRAY_VALUE || tag === KVLIST_VALUE) && depth < VALUE_DEPTH_MAX)) {
        const outer = this.enter()
        if (tag === STRING_VALUE) this.text(plan)
        else this.list(tag, place, plan, names, depth)
        this.leave(outer)
      } else reader.skipField(tag)
    }
  }

  private list(tag: number, place: PlacePlan, plan: TextPlan, names: readonly string[], depth: number): void {
    const { reader } = this
    for (let next = reader.tag(); next !== 0; next = reader.tag()) {
      if (next !== VALUES) {
        reader.skipField(next)
        continue
      }
      const outer = this.enter()
      if (tag === ARRAY_VALUE) this.value(place, plan, names, depth + 1)
      else this.pair(place, names, depth + 1)
      this.leave(outer)
    }
  }

  /** The text from `pos` to `end`. */
  private text(plan: TextPlan): void {
    if (plan.steps.length === 0) return
    const { reader, edits } = this
    const { bytes, pos, end } = reader
    if (CLEAN_TEXTS.find(plan, bytes, pos, end)) return
    const text = stringOf(bytes, pos, end)
    const masked = maskedText(text, plan)
    if (masked === text) CLEAN_TEXTS.keep(plan, bytes, pos, end, true)
    else edits.replace(pos, end, utf8Of(masked))
  }

  /** A value that is no text, but may be read as one, and becomes one where something is found in it. `start` is where its tag stands. */
  private other(start: number, tag: number, plan: TextPlan): void {
    const { reader, edits } = this
    if (plan.steps.length === 0 || (tag !== BYTES_VALUE && plan.digitsMin === Number.POSITIVE_INFINITY)) {
      reader.skipField(tag)
      return
    }
    const text = this.textOfOther(tag)
    if (tag !== BYTES_VALUE && text.length < plan.digitsMin) return
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
