import type { ExponentialBuckets, PointValue, SummaryValue } from '../../domain/metric-point.ts'
import { POINT_NUMBERS_MAX } from './limits.ts'
import { BYTES, FIXED64, type MessageShape, tagOf, VARINT, type WireReader } from './wire-reader.ts'

const TWO_32 = 0x1_0000_0000

/** Takes in the fields of one data point that only its kind has. */
export interface PointValueReader {
  /** How many buckets or quantiles it has; those beyond the limit are counted but not kept. */
  numbers: number
  /** False where the field is none of this kind's. */
  field(reader: WireReader, tag: number): boolean
  /** Null where none was sent. */
  value(): PointValue | null
}

const DOUBLE_4 = tagOf(4, FIXED64)
const DOUBLE_5 = tagOf(5, FIXED64)
const FIXED_4 = tagOf(4, FIXED64)
const FIXED_6 = tagOf(6, FIXED64)

export class NumberReader implements PointValueReader {
  numbers = 0
  private number: number | bigint | null = null

  field(reader: WireReader, tag: number): boolean {
    if (tag === DOUBLE_4) this.number = reader.double()
    else if (tag === FIXED_6) this.number = signed64(reader)
    else return false
    return true
  }

  value(): PointValue | null {
    return this.number
  }
}

const BUCKET_COUNTS = 6
const EXPLICIT_BOUNDS = 7
const HISTOGRAM_MIN = tagOf(11, FIXED64)
const HISTOGRAM_MAX = tagOf(12, FIXED64)

export class HistogramReader implements PointValueReader {
  numbers = 0
  private count = 0
  private sum: number | null = null
  private min: number | null = null
  private max: number | null = null
  private readonly bounds: number[] = []
  private readonly counts: number[] = []

  field(reader: WireReader, tag: number): boolean {
    if (tag === FIXED_4) this.count = unsigned64(reader)
    else if (tag === DOUBLE_5) this.sum = reader.double()
    else if (tag === HISTOGRAM_MIN) this.min = reader.double()
    else if (tag === HISTOGRAM_MAX) this.max = reader.double()
    else if (isRepeated(tag, BUCKET_COUNTS, FIXED64)) this.numbers += repeated(reader, tag, this.counts, unsigned64)
    else if (isRepeated(tag, EXPLICIT_BOUNDS, FIXED64)) this.numbers += repeated(reader, tag, this.bounds, double)
    else return false
    return true
  }

  value(): PointValue {
    const { count, sum, min, max } = this
    return { count, sum, min, max, explicitBounds: this.bounds, bucketCounts: this.counts }
  }
}

const SCALE = tagOf(6, VARINT)
const ZERO_COUNT = tagOf(7, FIXED64)
const POSITIVE = tagOf(8, BYTES)
const NEGATIVE = tagOf(9, BYTES)
const EXPONENTIAL_MIN = tagOf(12, FIXED64)
const EXPONENTIAL_MAX = tagOf(13, FIXED64)
const ZERO_THRESHOLD = tagOf(14, FIXED64)

const BUCKETS: MessageShape = { name: 'Buckets', fields: { 1: 'offset', 2: 'bucket_counts' } }
const OFFSET = tagOf(1, VARINT)

export class ExponentialHistogramReader implements PointValueReader {
  numbers = 0
  private count = 0
  private sum: number | null = null
  private min: number | null = null
  private max: number | null = null
  private scale = 0
  private zeroCount = 0
  private zeroThreshold = 0
  private readonly positive: ExponentialBuckets = { offset: 0, counts: [] }
  private readonly negative: ExponentialBuckets = { offset: 0, counts: [] }

  field(reader: WireReader, tag: number): boolean {
    if (tag === FIXED_4) this.count = unsigned64(reader)
    else if (tag === DOUBLE_5) this.sum = reader.double()
    else if (tag === SCALE) this.scale = reader.sint32()
    else if (tag === ZERO_COUNT) this.zeroCount = unsigned64(reader)
    else if (tag === POSITIVE) this.buckets(reader, this.positive)
    else if (tag === NEGATIVE) this.buckets(reader, this.negative)
    else if (tag === EXPONENTIAL_MIN) this.min = reader.double()
    else if (tag === EXPONENTIAL_MAX) this.max = reader.double()
    else if (tag === ZERO_THRESHOLD) this.zeroThreshold = reader.double()
    else return false
    return true
  }

  value(): PointValue {
    const { count, sum, min, max, scale, zeroCount, zeroThreshold, positive, negative } = this
    return { count, sum, min, max, scale, zeroCount, zeroThreshold, positive, negative }
  }

  private buckets(reader: WireReader, into: ExponentialBuckets): void {
    const outer = reader.enter()
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === OFFSET) into.offset = reader.sint32()
      else if (isRepeated(tag, 2, VARINT)) this.numbers += repeated(reader, tag, into.counts, varint)
      else reader.skip(tag, BUCKETS)
    }
    reader.end = outer
  }
}

const QUANTILE_VALUES = tagOf(6, BYTES)
const QUANTILE: MessageShape = { name: 'ValueAtQuantile', fields: { 1: 'quantile', 2: 'value' } }
const QUANTILE_QUANTILE = tagOf(1, FIXED64)
const QUANTILE_VALUE = tagOf(2, FIXED64)

export class SummaryReader implements PointValueReader {
  numbers = 0
  private count = 0
  private sum = 0
  private readonly quantiles: SummaryValue['quantiles'] = []

  field(reader: WireReader, tag: number): boolean {
    if (tag === FIXED_4) this.count = unsigned64(reader)
    else if (tag === DOUBLE_5) this.sum = reader.double()
    else if (tag === QUANTILE_VALUES) this.quantile(reader)
    else return false
    return true
  }

  value(): PointValue {
    return { count: this.count, sum: this.sum, quantiles: this.quantiles }
  }

  private quantile(reader: WireReader): void {
    const outer = reader.enter()
    const found = { quantile: 0, value: 0 }
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === QUANTILE_QUANTILE) found.quantile = reader.double()
      else if (tag === QUANTILE_VALUE) found.value = reader.double()
      else reader.skip(tag, QUANTILE)
    }
    reader.end = outer
    if (this.numbers++ < POINT_NUMBERS_MAX) this.quantiles.push(found)
  }
}

/** Repeated numbers come in one field each or, packed, all in one. */
function isRepeated(tag: number, field: number, wireType: number): boolean {
  return tag === tagOf(field, BYTES) || tag === tagOf(field, wireType)
}

/** Reads repeated numbers and returns how many they were. */
function repeated(reader: WireReader, tag: number, into: number[], read: (reader: WireReader) => number): number {
  const outer = (tag & 7) === BYTES ? reader.enter() : reader.end
  const packed = (tag & 7) === BYTES
  let count = 0
  do {
    if (packed && reader.pos === reader.end) break
    const number = read(reader)
    if (into.length < POINT_NUMBERS_MAX) into.push(number)
    count++
  } while (packed)
  reader.end = outer
  return count
}

function double(reader: WireReader): number {
  return reader.double()
}

function varint(reader: WireReader): number {
  return reader.uint64()
}

/** Inexact beyond 2^53. */
function unsigned64(reader: WireReader): number {
  reader.fixed64()
  return reader.hi * TWO_32 + reader.lo
}

function signed64(reader: WireReader): number | bigint {
  reader.fixed64()
  const number = (reader.hi | 0) * TWO_32 + reader.lo
  return Number.isSafeInteger(number) ? number : (BigInt(reader.hi | 0) << 32n) | BigInt(reader.lo)
}
