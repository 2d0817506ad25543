import type { Attributes } from '../../domain/attributes.ts'
import { TextColumn } from '../../domain/columns/text-column.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { type DecodeLimits, POINT_NUMBERS_MAX, REQUEST_NUMBERS_MAX, REQUEST_POINTS_MAX } from './limits.ts'
import type { PointValueReader } from './point-value.ts'
import type { RequestWalk } from './request-walk.ts'
import { type Refusal, type Tally, timeRefusals } from './tally.ts'
import { TimeBounds } from './time-bounds.ts'
import { stringOf } from './utf8.ts'
import { FIXED64, type MessageShape, tagOf } from './wire-reader.ts'

export type MetricHead = Pick<MetricPoint, 'name' | 'description' | 'unit' | 'type' | 'temporality' | 'monotonic'>

/** Where the data points of one kind have what all kinds have, and who reads the rest. */
export interface PointKind {
  shape: MessageShape
  attributes: number
  flags: number
  create(): PointValueReader
}

const START = tagOf(2, FIXED64)
const TIME = tagOf(3, FIXED64)
const NO_RECORDED_VALUE = 1

const NO_TIME: Refusal = { one: 'has no time', many: 'have no time' }
const TOO_MANY_NUMBERS: Refusal = {
  one: `has more than ${POINT_NUMBERS_MAX} buckets or quantiles`,
  many: `have more than ${POINT_NUMBERS_MAX} buckets or quantiles`,
}
const TOO_MANY: Refusal = {
  one: 'is more than one request may hold',
  many: 'are more than one request may hold',
}

/** Decodes data points, one at a time. */
export class PointDecoder {
  private readonly walk: RequestWalk
  private readonly tally: Tally
  private readonly points: MetricPoint[]
  private readonly bounds: TimeBounds
  private readonly dated: { future: Refusal; past: Refusal }
  private readonly scratch = new TextColumn()
  private numbers = 0
  private resource: { json: string; attributes: Attributes } = { json: '{}', attributes: {} }

  constructor(walk: RequestWalk, limits: DecodeLimits, tally: Tally, points: MetricPoint[]) {
    this.walk = walk
    this.tally = tally
    this.points = points
    this.bounds = new TimeBounds(limits)
    this.dated = timeRefusals(limits, 'is dated', 'are dated')
  }

  /** Decodes the data point from the reader's `pos` to its `end`. */
  decode(head: MetricHead, kind: PointKind): void {
    const { reader, attributes } = this.walk
    const { scratch, tally } = this
    const time = { startHi: 0, startLo: 0, hi: 0, lo: 0 }
    const value = kind.create()
    let flags = 0
    scratch.clear()
    const outer = attributes.open()
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === START) {
        reader.fixed64()
        time.startHi = reader.hi
        time.startLo = reader.lo
      } else if (tag === TIME) {
        reader.fixed64()
        time.hi = reader.hi
        time.lo = reader.lo
      } else if (tag === kind.attributes) attributes.add(scratch)
      else if (tag === kind.flags) flags = reader.uint32()
      else if (!value.field(reader, tag)) reader.skip(tag, kind.shape)
    }
    attributes.close(scratch, outer)
    const refusal = this.refusal(time.hi, time.lo, value.numbers)
    if (refusal === undefined) {
      tally.accepted++
      tally.truncatedAttributes += attributes.dropped
      this.numbers += value.numbers
      this.points.push({
        ...head,
        // A start that 63 bits cannot hold says nothing.
        startNs: time.startHi < 0x8000_0000 ? joinedHalves(time.startHi, time.startLo) : 0n,
        timeNs: joinedHalves(time.hi, time.lo),
        flags,
        value: (flags & NO_RECORDED_VALUE) !== 0 ? null : value.value(),
        attributes: this.attributes(),
        ...this.origin(),
      })
    } else tally.add(refusal)
    attributes.dropped = 0
  }

  private refusal(hi: number, lo: number, numbers: number): Refusal | undefined {
    if ((hi | lo) === 0) return NO_TIME
    if (this.bounds.isTooNew(hi, lo)) return this.dated.future
    if (this.bounds.isTooOld(hi, lo)) return this.dated.past
    if (numbers > POINT_NUMBERS_MAX) return TOO_MANY_NUMBERS
    const full = this.points.length >= REQUEST_POINTS_MAX || this.numbers + numbers > REQUEST_NUMBERS_MAX
    return full ? TOO_MANY : undefined
  }

  private attributes(): Attributes {
    const { bytes, byteLength } = this.scratch
    return byteLength === 0 ? {} : JSON.parse(stringOf(bytes, 0, byteLength))
  }

  /** All points of a resource share one object for its attributes. */
  private origin(): Pick<MetricPoint, 'serviceName' | 'resource' | 'scopeName' | 'scopeVersion'> {
    const { serviceName, resourceJson, scopeName, scopeVersion } = this.walk.origin
    if (resourceJson !== this.resource.json) {
      this.resource = { json: resourceJson, attributes: JSON.parse(resourceJson) }
    }
    return { serviceName, resource: this.resource.attributes, scopeName, scopeVersion }
  }
}

function joinedHalves(hi: number, lo: number): bigint {
  return (BigInt(hi) << 32n) | BigInt(lo)
}
