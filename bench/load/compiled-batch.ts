import type { BatchTemplate } from './batch-template.ts'
import type { FilledWindow } from './filled-window.ts'
import type { Random } from './random.ts'
import { VARINT3_COUNT, VARINT3_MIN } from './wire-writer.ts'

export const ID_BYTES = 24
const PLACES = 9
const VALUES = 4
const NONE = -1
const KINDS = { hex: 0, digits: 1, user: 2, varint3: 3 }
const HEX = Buffer.from('0123456789abcdef')
const ZERO = 0x30

/** A batch whose blanks are in flat tables, so that filling them makes no object. */
export class CompiledBatch {
  readonly spanCount: number
  readonly bodyBytes: number
  private readonly body: Buffer
  /** Of each span: its trace's slot, its own, its parent's; then where its trace id, id, parent id, start, end and event are. */
  private readonly places: Int32Array
  /** Of each span: start since its trace's, and duration. */
  private readonly times: Float64Array
  /** Of each text or number that is a blank: where, how long, what kind, its trace's slot. */
  private readonly values: Int32Array

  constructor({ body, spans }: BatchTemplate) {
    this.body = body
    this.bodyBytes = body.length
    this.spanCount = spans.length
    this.times = Float64Array.from(spans.flatMap(({ span: { plan } }) => [plan.startNs, plan.durationNs]))
    this.places = Int32Array.from(
      spans.flatMap(({ span, blanks }) => {
        const at = (kind: string) => blanks.find((blank) => blank.kind === kind)?.at ?? NONE
        const slots = [span.traceSlot, span.spanSlot, span.plan.parent]
        return [...slots, ...['traceId', 'spanId', 'parentId', 'startNs', 'endNs', 'eventNs'].map(at)]
      }),
    )
    this.values = Int32Array.from(
      spans.flatMap(({ span, blanks }) =>
        blanks.flatMap((blank) => {
          if (blank.kind === 'varint3') return [blank.at, 3, KINDS.varint3, span.traceSlot]
          return 'length' in blank ? [blank.at, blank.length, KINDS[blank.kind], span.traceSlot] : []
        }),
      ),
    )
  }

  /** Writes the body into `target`, which must be long enough. */
  write(target: Buffer, window: FilledWindow, random: Random): void {
    this.body.copy(target)
    const view = new DataView(target.buffer, target.byteOffset, this.bodyBytes)
    this.writeIdsAndTimes(view, window)
    this.writeValues(target, window, random)
  }

  /** Of each span in `body`, its trace id and its own, `ID_BYTES` together. */
  idsIn(body: Buffer): Buffer {
    const ids = Buffer.allocUnsafe(this.spanCount * ID_BYTES)
    for (let span = 0; span < this.spanCount; span++) {
      const traceAt = this.places[span * PLACES + 3] as number
      const spanAt = this.places[span * PLACES + 4] as number
      body.copy(ids, span * ID_BYTES, traceAt, traceAt + 16)
      body.copy(ids, span * ID_BYTES + 16, spanAt, spanAt + 8)
    }
    return ids
  }

  private writeIdsAndTimes(view: DataView, window: FilledWindow): void {
    const { places, times } = this
    for (let span = 0, at = 0; span < this.spanCount; span++, at += PLACES) {
      const trace = places[at] as number
      writeWords(view, places[at + 3] as number, window.traceIds, trace * 4, 4)
      writeWords(view, places[at + 4] as number, window.spanIds, (places[at + 1] as number) * 2, 2)
      if (places[at + 5] !== NONE)
        writeWords(view, places[at + 5] as number, window.spanIds, (places[at + 2] as number) * 2, 2)
      const slowness = window.slowness[trace] as number
      const startNs = (window.traceStartNs[trace] as number) + (times[span * 2] as number) * slowness
      const endNs = startNs + (times[span * 2 + 1] as number) * slowness
      window.writeTime(view, places[at + 6] as number, startNs)
      window.writeTime(view, places[at + 7] as number, endNs)
      if (places[at + 8] !== NONE) window.writeTime(view, places[at + 8] as number, endNs)
    }
  }

  private writeValues(target: Buffer, window: FilledWindow, random: Random): void {
    const { values } = this
    for (let i = 0; i < values.length; i += VALUES) {
      const at = values[i] as number
      const length = values[i + 1] as number
      const kind = values[i + 2] as number
      if (kind === KINDS.hex) writeHex(target, at, length, random)
      else if (kind === KINDS.digits) writeDigits(target, at, length, random.uint32())
      else if (kind === KINDS.user) writeDigits(target, at, length, window.users[values[i + 3] as number] as number)
      else writeVarint3(target, at, VARINT3_MIN + random.below(VARINT3_COUNT))
    }
  }
}

function writeWords(view: DataView, at: number, words: Uint32Array, first: number, count: number): void {
  for (let i = 0; i < count; i++) view.setUint32(at + i * 4, words[first + i] as number, true)
}

function writeHex(target: Buffer, at: number, length: number, random: Random): void {
  let bits = 0
  for (let i = 0; i < length; i++) {
    if ((i & 7) === 0) bits = random.uint32()
    target[at + i] = HEX[bits & 15] as number
    bits >>>= 4
  }
}

function writeDigits(target: Buffer, at: number, length: number, value: number): void {
  let rest = value
  for (let i = at + length - 1; i >= at; i--) {
    target[i] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}

function writeVarint3(target: Buffer, at: number, value: number): void {
  target[at] = (value & 0x7f) | 0x80
  target[at + 1] = ((value >>> 7) & 0x7f) | 0x80
  target[at + 2] = value >>> 14
}
