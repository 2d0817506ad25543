import type { MetricPoint } from '../../domain/metric-point.ts'
import { type OriginLiteral, originFieldsOf } from './column-filling.ts'
import { atNs } from './test-time.ts'

type PointFields = Omit<MetricPoint, 'serviceName' | 'resource' | 'scopeName' | 'scopeVersion'>

/** A metric point in a test: what is left out is plain and the same for all. */
export interface PointLiteral extends OriginLiteral, Partial<PointFields> {
  /** After the base time; `timeNs` wins over it. */
  atMs?: number
}

export function metricPointOf(literal: PointLiteral): MetricPoint {
  const { atMs = 0, service, resource, scopeName, scopeVersion, ...fields } = literal
  return {
    name: 'queue.length',
    description: '',
    unit: '1',
    type: 'gauge',
    temporality: 'unspecified',
    monotonic: false,
    startNs: 0n,
    timeNs: atNs(atMs),
    flags: 0,
    value: 1,
    attributes: {},
    ...fields,
    ...originFieldsOf(literal),
  }
}
