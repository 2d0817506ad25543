import type { Resource } from '@opentelemetry/resources'
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics'

/** Collections of one instance that travel together: ten minutes' worth of the past in one request. */
const COLLECTIONS_MAX = 40

/**
 * An exporter takes the metrics of one instance at a time. While the past is sent in a hurry, one request for each
 * collection would be thousands of tiny ones; so the points of several collections are sent as one.
 */
export class MetricGatherer {
  readonly #byResource = new Map<Resource, ResourceMetrics[]>()

  /** Returns the instance's metrics once enough of them have gathered. */
  add(metrics: ResourceMetrics): ResourceMetrics | undefined {
    const gathered = this.#byResource.get(metrics.resource) ?? []
    gathered.push(metrics)
    if (gathered.length < COLLECTIONS_MAX) {
      this.#byResource.set(metrics.resource, gathered)
      return undefined
    }
    this.#byResource.delete(metrics.resource)
    return merge(metrics.resource, gathered)
  }

  takeAll(): ResourceMetrics[] {
    const all = [...this.#byResource].map(([resource, gathered]) => merge(resource, gathered))
    this.#byResource.clear()
    return all
  }
}

/** One metric of each name, with the points of all. */
function merge(resource: Resource, gathered: ResourceMetrics[]): ResourceMetrics {
  const scope = gathered[0]?.scopeMetrics[0]?.scope ?? { name: '' }
  const byName = new Map<string, MetricData>()
  for (const metric of gathered.flatMap(({ scopeMetrics }) => scopeMetrics).flatMap(({ metrics }) => metrics)) {
    const earlier = byName.get(metric.descriptor.name)
    byName.set(metric.descriptor.name, earlier === undefined ? metric : withPoints(earlier, metric))
  }
  return { resource, scopeMetrics: [{ scope, metrics: [...byName.values()] }] }
}

function withPoints(earlier: MetricData, later: MetricData): MetricData {
  return { ...earlier, dataPoints: [...earlier.dataPoints, ...later.dataPoints] } as MetricData
}

export function pointCountOf({ scopeMetrics }: ResourceMetrics): number {
  let count = 0
  for (const { metrics } of scopeMetrics) for (const { dataPoints } of metrics) count += dataPoints.length
  return count
}
