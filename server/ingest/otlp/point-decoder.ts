import type { Attributes } from '../../domain/attributes.ts'
import { TextColumn } from '../../domain/columns/text-column.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { type DecodeLimits, POINT_NUMBERS_MAX, RECORDS_MAX, REQUEST_NUMBERS_MAX } from './limits.ts'
import type { PointValueReader } from './point-value.ts'
import type { RequestWalk } from './request-walk.ts'
import { type Refusal, type Tally, TOO_MANY, timeRefusals } from './tally.ts'
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
/** What most points' attributes take. */
const SCRATCH_BYTES = 1024

const NO_TIME: Refusal = { one: 'has no time', many: 'have no time' }
const TOO_MANY_NUMBERS: Refusal = {
  one: `has more than ${POINT_NUMBERS_MAX} buckets or quantiles`,
  many: `have more than ${POINT_NUMBERS_MAX} buckets or quantiles`,
}
const NO_ATTRIBUTES: Attributes = Object.freeze({})

/** Decodes data points, one at a time. */
export class PointDecoder {
  private readonly walk: RequestWalk
  private readonly tally: Tally
  private readonly points: MetricPoint[]
  private readonly bounds: TimeBounds
  private readonly dated: { future: Refusal; past: Refusal }
  private readonly scratch = new TextColumn(SCRATCH_BYTES)
  private startHi = 0
  private startLo = 0
  private hi = 0
  private lo = 0
  private flags = 0
  /** How many buckets and quantiles all points have together. */
  private numbers = 0
  /** All points of a resource share one object. */
  private resource: Attributes = NO_ATTRIBUTES
  private resourceJson = '{}'

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
    const value = kind.create()
    this.startHi = this.startLo = this.hi = this.lo = this.flags = 0
    this.scratch.clear()
    const outer = attributes.open()
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === START) {
        reader.fixed64()
        this.startHi = reader.hi
        this.startLo = reader.lo
      } else if (tag === TIME) {
        reader.fixed64()
        this.hi = reader.hi
        this.lo = reader.lo
      } else if (tag === kind.attributes) attributes.add(this.scratch)
      else if (tag === kind.flags) this.flags = reader.uint32()
      else if (!value.field(reader, tag)) reader.skip(tag, kind.shape)
    }
    attributes.close(this.scratch, outer)
    const refusal = this.refusal(value.numbers)
    if (refusal === undefined) this.keep(head, value)
    else this.tally.add(refusal)
    attributes.dropped = 0
  }

  private keep(head: MetricHead, value: PointValueReader): void {
    const { walk, tally, flags } = this
    const { serviceName, resourceJson, scopeName, scopeVersion } = walk.origin
    if (resourceJson !== this.resourceJson) {
      this.resource = JSON.parse(resourceJson)
      this.resourceJson = resourceJson
    }
    tally.accepted++
    tally.truncatedAttributes += walk.attributes.dropped
    this.numbers += value.numbers
    // Named one by one: with spread an object takes several times the memory.
    this.points.push({
      name: head.name,
      description: head.description,
      unit: head.unit,
      type: head.type,
      temporality: head.temporality,
      monotonic: head.monotonic,
      // A start that 63 bits cannot hold says nothing.
      startNs: this.startHi < 0x8000_0000 ? joinedHalves(this.startHi, this.startLo) : 0n,
      timeNs: joinedHalves(this.hi, this.lo),
      flags,
      value: (flags & NO_RECORDED_VALUE) === 0 ? value.value() : null,
      attributes: this.attributes(),
      serviceName,
      resource: this.resource,
      scopeName,
      scopeVersion,
    })
  }

  private refusal(numbers: number): Refusal | undefined {
    const { bounds, hi, lo } = this
    if ((hi | lo) === 0) return NO_TIME
    if (bounds.isTooNew(hi, lo)) return this.dated.future
    if (bounds.isTooOld(hi, lo)) return this.dated.past
    if (numbers > POINT_NUMBERS_MAX) return TOO_MANY_NUMBERS
    const full = this.points.length >= RECORDS_MAX || this.numbers + numbers > REQUEST_NUMBERS_MAX
    return full ? TOO_MANY : undefined
  }

  private attributes(): Attributes {
    const { bytes, byteLength } = this.scratch
    return byteLength === 0 ? NO_ATTRIBUTES : JSON.parse(stringOf(bytes, 0, byteLength))
  }
}

function joinedHalves(hi: number, lo: number): bigint {
  return (BigInt(hi) << 32n) | BigInt(lo)
}
