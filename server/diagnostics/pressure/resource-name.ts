import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import { UNKNOWN_SERVICE } from '../../domain/columns/origin.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import type { CatalogueEntry, Condition } from './catalogue-entry.ts'
import { underscored } from './metric-index.ts'

const INSTANCE = ['service.instance.id', 'k8s.pod.name', 'host.name', 'k8s.node.name', 'container.id']
const HOST = ['host.name', 'k8s.node.name', 'host.id']
/** What names a workload whose metrics are collected from outside of it, in the order that OpenTelemetry advises. */
const WORKLOAD = [
  'k8s.deployment.name',
  'k8s.replicaset.name',
  'k8s.statefulset.name',
  'k8s.daemonset.name',
  'k8s.cronjob.name',
  'k8s.job.name',
  'k8s.pod.name',
  'k8s.container.name',
  'container.name',
]

/** One resource of one instance of a service. */
export interface ResourceName {
  serviceName: string
  /** Empty where the origin tells no instance. */
  instance: string
  /** What a person calls the instance: its pod's name, where the instance itself is known by a made-up id. */
  instanceLabel: string
  resource: string
}

export function resourceNameOf(entry: CatalogueEntry, point: MetricPoint): ResourceName {
  const { attributes, resource: origin } = point
  const host = entry.ofHost ? firstOf(origin, HOST) : ''
  const name = firstOf(attributes, entry.namedBy ?? []) || firstOf(origin, entry.namedBy ?? []) || entry.resource
  const more = firstOf(attributes, entry.with ?? []) || firstOf(origin, entry.with ?? [])
  return {
    serviceName: serviceOf(point),
    instance: host || firstOf(origin, INSTANCE),
    instanceLabel: host || firstOf(origin, ['k8s.pod.name', ...INSTANCE]),
    resource: more === '' || more === name ? name : `${name}/${more}`,
  }
}

export function meets(where: readonly Condition[] | undefined, attributes: Attributes): boolean {
  return (where ?? []).every(({ keys, is, not }) => {
    const value = firstOf(attributes, keys)
    return (is?.includes(value) ?? true) && !not?.includes(value)
  })
}

/** The first of these attributes that says something, under its own name or with underscores; else the empty string. */
export function firstOf(attributes: Attributes, keys: readonly string[]): string {
  for (const key of keys) {
    const text = textOf(attributes[key] ?? attributes[underscored(key)])
    if (text !== '') return text
  }
  return ''
}

function serviceOf({ serviceName, resource }: MetricPoint): string {
  const unnamed = serviceName === '' || serviceName.startsWith(UNKNOWN_SERVICE)
  return (unnamed && firstOf(resource, WORKLOAD)) || serviceName
}

export function textOf(value: AttributeValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
