import type { PointLiteral } from './metric-builder.ts'
import { BASE_NS } from './test-time.ts'

const cumulative: PointLiteral = { temporality: 'cumulative', startNs: BASE_NS - 1n }
const delta: PointLiteral = { temporality: 'delta', startNs: BASE_NS - 60_000_000_000n }

/** A point for every type and every value that has been known to be lost on the way. Named as a test's title goes on. */
export const METRIC_POINTS_OF_EVERY_TYPE: Record<string, PointLiteral> = {
  'a gauge': {
    value: 0.1,
    description: 'How many wait',
    unit: '{items}',
    flags: 2,
    attributes: { queue: 'mail', priority: 1, paused: false, nothing: null, shards: ['a', { b: 1 }] },
    service: 'mailer',
    resource: { 'host.name': 'web-1' },
    scopeName: 'meter',
    scopeVersion: '1.0',
  },
  'a gauge that is zero': { value: 0 },
  'a gauge that is negative': { value: -273.15 },
  'a gauge that is not a number': { value: Number.NaN },
  'a gauge that is infinite': { value: Number.POSITIVE_INFINITY },
  'a gauge that is infinite below zero': { value: Number.NEGATIVE_INFINITY },
  'a gauge that is the largest double': { value: Number.MAX_VALUE },
  'a gauge that is the smallest double': { value: Number.MIN_VALUE },
  'a gauge whose double is a whole number beyond 2^53': { value: 2 ** 60 },
  'a gauge without a recorded value': { value: null, flags: 1 },
  'a monotonic sum': { ...cumulative, type: 'sum', monotonic: true, value: 9_007_199_254_740_991 },
  'a sum of deltas': { ...delta, type: 'sum', value: -5 },
  'a sum beyond 2^53': { ...cumulative, type: 'sum', monotonic: true, value: 9_007_199_254_740_993n },
  'a sum as large as it gets': { ...cumulative, type: 'sum', value: 9_223_372_036_854_775_807n },
  'a sum as small as it gets': { ...cumulative, type: 'sum', value: -9_223_372_036_854_775_808n },
  'a histogram': {
    ...delta,
    type: 'histogram',
    unit: 's',
    value: {
      count: 9_007_199_254_740_991,
      sum: 12.5,
      min: 0.001,
      max: 9.75,
      explicitBounds: [0.005, 0.01, 1, 10],
      bucketCounts: [1, 0, 5, 0, 9_007_199_254_740_985],
    },
  },
  'a histogram without a sum and extremes': {
    ...cumulative,
    type: 'histogram',
    value: { count: 3, sum: null, min: null, max: null, explicitBounds: [1], bucketCounts: [3, 0] },
  },
  'an empty histogram': {
    ...delta,
    type: 'histogram',
    value: { count: 0, sum: 0, min: null, max: null, explicitBounds: [], bucketCounts: [] },
  },
  'a histogram without a recorded value': { ...delta, type: 'histogram', value: null, flags: 1 },
  'an exponential histogram': {
    ...delta,
    type: 'exponential_histogram',
    value: {
      count: 12,
      sum: -3.25,
      min: -8,
      max: 4.5,
      scale: -3,
      zeroCount: 2,
      zeroThreshold: 1e-9,
      positive: { offset: -5, counts: [1, 0, 4] },
      negative: { offset: 1_000_000, counts: [5] },
    },
  },
  'an empty exponential histogram': {
    ...cumulative,
    type: 'exponential_histogram',
    value: {
      count: 0,
      sum: null,
      min: null,
      max: null,
      scale: 20,
      zeroCount: 0,
      zeroThreshold: 0,
      positive: { offset: 0, counts: [] },
      negative: { offset: 0, counts: [] },
    },
  },
  'a summary': {
    ...cumulative,
    type: 'summary',
    value: {
      count: 1000,
      sum: 51.25,
      quantiles: [
        { quantile: 0, value: -1 },
        { quantile: 0.5, value: 0.05 },
        { quantile: 0.999, value: 1.5 },
        { quantile: 1, value: 2 },
      ],
    },
  },
  'an empty summary': { ...cumulative, type: 'summary', value: { count: 0, sum: 0, quantiles: [] } },
  'a summary of nothing, whose quantiles are not numbers': {
    ...cumulative,
    type: 'summary',
    value: { count: 0, sum: 0, quantiles: [{ quantile: 0.5, value: Number.NaN }] },
  },
}
