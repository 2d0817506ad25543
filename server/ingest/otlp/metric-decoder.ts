import type { MetricPoint, MetricType, Temporality } from '../../domain/metric-point.ts'
import type { DecodeLimits } from './limits.ts'
import { type MetricHead, PointDecoder, type PointKind } from './point-decoder.ts'
import {
  ExponentialHistogramReader,
  HistogramReader,
  NumberReader,
  type PointValueReader,
  SummaryReader,
} from './point-value.ts'
import type { RequestWalk } from './request-walk.ts'
import type { Refusal, Tally } from './tally.ts'
import { BYTES, type MessageShape, tagOf, VARINT, type WireReader } from './wire-reader.ts'

const METRIC: MessageShape = {
  name: 'Metric',
  fields: {
    1: 'name',
    2: 'description',
    3: 'unit',
    5: 'gauge',
    7: 'sum',
    9: 'histogram',
    10: 'exponential_histogram',
    11: 'summary',
  },
}
const NAME = tagOf(1, BYTES)
const DESCRIPTION = tagOf(2, BYTES)
const UNIT = tagOf(3, BYTES)

const POINTS_ONLY = { 1: 'data_points' }
const WITH_TEMPORALITY = { ...POINTS_ONLY, 2: 'aggregation_temporality' }
const DATA_POINTS = tagOf(1, BYTES)
const TEMPORALITY = tagOf(2, VARINT)
const MONOTONIC = tagOf(3, VARINT)
const TEMPORALITIES: readonly Temporality[] = ['unspecified', 'delta', 'cumulative']

const NUMBERS: PointKind = kind('NumberDataPoint', { 4: 'as_double', 6: 'as_int' }, 7, 8, () => new NumberReader())
const HISTOGRAMS: PointKind = kind(
  'HistogramDataPoint',
  { 4: 'count', 5: 'sum', 6: 'bucket_counts', 7: 'explicit_bounds', 11: 'min', 12: 'max' },
  9,
  10,
  () => new HistogramReader(),
)
const EXPONENTIAL_HISTOGRAMS: PointKind = kind(
  'ExponentialHistogramDataPoint',
  {
    4: 'count',
    5: 'sum',
    6: 'scale',
    7: 'zero_count',
    8: 'positive',
    9: 'negative',
    12: 'min',
    13: 'max',
    14: 'zero_threshold',
  },
  1,
  10,
  () => new ExponentialHistogramReader(),
)
const SUMMARIES: PointKind = kind(
  'SummaryDataPoint',
  { 4: 'count', 5: 'sum', 6: 'quantile_values' },
  7,
  8,
  () => new SummaryReader(),
)

interface DataKind {
  type: MetricType
  shape: MessageShape
  points: PointKind
}

const DATA_KINDS: ReadonlyMap<number, DataKind> = new Map<number, DataKind>([
  [tagOf(5, BYTES), { type: 'gauge', shape: { name: 'Gauge', fields: POINTS_ONLY }, points: NUMBERS }],
  [
    tagOf(7, BYTES),
    { type: 'sum', shape: { name: 'Sum', fields: { ...WITH_TEMPORALITY, 3: 'is_monotonic' } }, points: NUMBERS },
  ],
  [tagOf(9, BYTES), { type: 'histogram', shape: { name: 'Histogram', fields: WITH_TEMPORALITY }, points: HISTOGRAMS }],
  [
    tagOf(10, BYTES),
    {
      type: 'exponential_histogram',
      shape: { name: 'ExponentialHistogram', fields: WITH_TEMPORALITY },
      points: EXPONENTIAL_HISTOGRAMS,
    },
  ],
  [tagOf(11, BYTES), { type: 'summary', shape: { name: 'Summary', fields: POINTS_ONLY }, points: SUMMARIES }],
])

const NO_NAME: Refusal = {
  one: 'belongs to a metric without a name',
  many: 'belong to a metric without a name',
}

/** Decodes metrics, one at a time, into points. */
export class MetricDecoder {
  readonly points: MetricPoint[] = []
  private readonly walk: RequestWalk
  private readonly reader: WireReader
  private readonly tally: Tally
  private readonly pointDecoder: PointDecoder

  constructor(walk: RequestWalk, limits: DecodeLimits, tally: Tally) {
    this.walk = walk
    this.reader = walk.reader
    this.tally = tally
    this.pointDecoder = new PointDecoder(walk, limits, tally, this.points)
  }

  /** Decodes the metric from the reader's `pos` to its `end`. */
  decode(): void {
    const { reader, walk } = this
    const head: MetricHead = {
      name: '',
      description: '',
      unit: '',
      type: 'gauge',
      temporality: 'unspecified',
      monotonic: false,
    }
    let dataTag = 0
    let dataStart = reader.end
    for (let start = reader.pos, tag = reader.tag(); tag !== 0; start = reader.pos, tag = reader.tag()) {
      if (tag === NAME) head.name = walk.text()
      else if (tag === DESCRIPTION) head.description = walk.text()
      else if (tag === UNIT) head.unit = walk.text()
      else if (DATA_KINDS.has(tag)) {
        // Of several kinds of data the last one counts; data of one kind may come in parts.
        if (tag !== dataTag) dataStart = start
        dataTag = tag
        reader.skipField(tag)
      } else reader.skip(tag, METRIC)
    }
    const data = DATA_KINDS.get(dataTag)
    if (data === undefined) return
    head.type = data.type
    this.eachPart(dataStart, dataTag, () => this.readHead(head, data.shape))
    this.eachPart(dataStart, dataTag, () => this.readPoints(head, data.points))
  }

  private eachPart(start: number, dataTag: number, read: () => void): void {
    const { reader } = this
    reader.pos = start
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag !== dataTag) {
        reader.skipField(tag)
        continue
      }
      const outer = reader.enter()
      read()
      reader.end = outer
    }
  }

  private readHead(head: MetricHead, shape: MessageShape): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (shape.fields[tag >>> 3] === undefined) reader.skipField(tag)
      else if (tag === TEMPORALITY) head.temporality = TEMPORALITIES[reader.enumCode(2)] ?? 'unspecified'
      else if (tag === MONOTONIC) head.monotonic = reader.bool()
      else if (tag === DATA_POINTS) reader.skipField(tag)
      else reader.skip(tag, shape)
    }
  }

  private readPoints(head: MetricHead, points: PointKind): void {
    const { reader } = this
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag !== DATA_POINTS) {
        reader.skipField(tag)
        continue
      }
      const outer = reader.enter()
      const { end } = reader
      if (head.name === '') this.tally.add(NO_NAME)
      else this.pointDecoder.decode(head, points)
      reader.pos = end
      reader.end = outer
    }
  }
}

function kind(
  name: string,
  own: Record<number, string>,
  attributes: number,
  flags: number,
  create: () => PointValueReader,
): PointKind {
  const fields = {
    ...own,
    2: 'start_time_unix_nano',
    3: 'time_unix_nano',
    [attributes]: 'attributes',
    [flags]: 'flags',
  }
  return { shape: { name, fields }, attributes: tagOf(attributes, BYTES), flags: tagOf(flags, VARINT), create }
}
