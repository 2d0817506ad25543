import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import type { Instance } from '../shop/instance.ts'
import type { Shop } from '../shop/shop.ts'
import type { TopicName } from '../topology/dependencies.ts'
import { type DurationSeries, histogramOf } from './instance-measures.ts'
import type { Reading } from './reading.ts'
import { runtimeReadings } from './runtime-readings.ts'

export interface Collection {
  /** Of the instance's processor limit, 0 to 1, since the last collection. */
  cpuUtilization: number
  startTime: HrTime
  endTime: HrTime
}

const SCOPE = { name: 'shop.runtime-metrics', version: '1.0.0' }

export function instanceMetrics(shop: Shop, instance: Instance, collection: Collection): ResourceMetrics {
  const readings = [
    ...runtimeReadings(instance, collection.cpuUtilization),
    ...poolReadings(instance),
    ...lagReadings(shop, instance),
    { name: 'http.server.active_requests', unit: '{request}', type: 'updown', value: instance.measures.activeRequests },
  ] satisfies Reading[]
  const metrics = [
    ...byName(readings).map((group) => numberMetric(group, collection)),
    ...durationMetrics('http.server.request.duration', instance.measures.http, collection),
    ...durationMetrics('rpc.server.call.duration', instance.measures.rpc, collection),
  ]
  return { resource: instance.resource, scopeMetrics: [{ scope: SCOPE, metrics }] }
}

function poolReadings(instance: Instance): Reading[] {
  return [...instance.pools.values()].flatMap((pool) => {
    const attributes = { 'db.client.connection.pool.name': pool.name }
    const state = (name: string): Attributes => ({ ...attributes, 'db.client.connection.state': name })
    const connection = (name: string, value: number, more = attributes): Reading => ({
      name: `db.client.connection.${name}`,
      unit: '{connection}',
      type: 'updown',
      value,
      attributes: more,
    })
    return [
      { ...connection('count', pool.used), attributes: state('used') },
      { ...connection('count', pool.connectionsMax - pool.used), attributes: state('idle') },
      connection('max', pool.connectionsMax),
      { ...connection('pending_requests', pool.waiting), unit: '{request}' },
      { ...connection('timeouts', pool.timeouts), unit: '{timeout}', type: 'counter' },
    ]
  })
}

/** Messages that the instance's group has not begun to read; every member reports its even share of the partitions. */
function lagReadings(shop: Shop, instance: Instance): Reading[] {
  const { name, consumes } = instance.spec
  const members = shop.service(name).instances.length
  return consumes.map(({ topic }) => ({
    name: lagMetricOf(shop, topic),
    unit: '{message}',
    type: 'gauge',
    value: Math.ceil((shop.topics.get(topic)?.groups.get(name)?.lag ?? 0) / members),
    attributes: { 'messaging.destination.name': topic, 'messaging.consumer.group.name': name },
  }))
}

function lagMetricOf(shop: Shop, topic: TopicName): string {
  return shop.topics.get(topic)?.spec.system === 'kafka' ? 'kafka.consumer.records_lag' : 'rabbitmq.message.current'
}

function byName(readings: Reading[]): [Reading, ...Reading[]][] {
  const groups = new Map<string, [Reading, ...Reading[]]>()
  for (const reading of readings) {
    const group = groups.get(reading.name)
    if (group === undefined) groups.set(reading.name, [reading])
    else group.push(reading)
  }
  return [...groups.values()]
}

function numberMetric(group: [Reading, ...Reading[]], { startTime, endTime }: Collection): MetricData {
  const { name, unit, type } = group[0]
  const points = group.map(
    ({ value, attributes = {} }): DataPoint<number> => ({ startTime, endTime, attributes, value }),
  )
  const base = {
    descriptor: { name, description: '', unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  if (type === 'gauge') return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points }
  return { ...base, dataPointType: DataPointType.SUM, dataPoints: points, isMonotonic: type === 'counter' }
}

function durationMetrics(name: string, series: Map<string, DurationSeries>, collection: Collection): MetricData[] {
  if (series.size === 0) return []
  const { startTime, endTime } = collection
  const dataPoints = [...series.values()].map(
    (one): DataPoint<Histogram> => ({ startTime, endTime, attributes: one.attributes, value: histogramOf(one) }),
  )
  const descriptor = { name, description: '', unit: 's', valueType: ValueType.DOUBLE }
  const aggregationTemporality = AggregationTemporality.CUMULATIVE
  return [{ descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
}
