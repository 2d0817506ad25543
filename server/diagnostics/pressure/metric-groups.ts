import type { MetricPoint } from '../../domain/metric-point.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import { READINGS, type Reading, type Role } from './metric-index.ts'
import { levelOf, rateOf } from './point-level.ts'
import { firstOf, meets, type ResourceName, resourceNameOf } from './resource-name.ts'

/** One number of a group, from one series. */
export interface Observation {
  timeNs: bigint
  role: Role
  rank: number
  series: string
  /** Which of the parts that a mean is taken over; empty where none is. */
  part: string
  /** Undefined where the series has just said that it has no value any more. */
  level: number | undefined
}

/** Everything known about one resource of one instance. */
export interface MetricGroup extends ResourceName {
  entry: CatalogueEntry
  /** Ascending by time. */
  observations: Observation[]
}

/** The points that the catalogue knows, by what they are about. Points are to ascend by time. */
export function metricGroups(points: readonly MetricPoint[]): MetricGroup[] {
  const groups = new Map<string, MetricGroup>()
  const counters = new Map<string, MetricPoint>()
  const keys = new ObjectKeys()
  for (const point of points) {
    const readings = READINGS.get(point.name)
    if (readings === undefined) continue
    const origin = keys.of(point.resource)
    const series = `${point.name} ${origin} ${keys.of(point.attributes)}`
    const last = counters.get(series)
    for (const reading of readings) observe(groups, reading, point, series, last)
    if (readings.some(({ measure }) => measure.rate)) counters.set(series, point)
  }
  return [...groups.values()]
}

function observe(
  groups: Map<string, MetricGroup>,
  { entry, role, rank, measure }: Reading,
  point: MetricPoint,
  series: string,
  last: MetricPoint | undefined,
): void {
  if (!meets(measure.where, point.attributes)) return
  const level = measure.rate ? rateOf(point, last) : levelOf(point)
  if (level === undefined && point.value !== null) return
  const part = measure.averagedOver ? firstOf(point.attributes, measure.averagedOver) : ''
  groupOf(groups, entry, point).observations.push({ timeNs: point.timeNs, role, rank, series, part, level })
}

const ENTRY_IDS = new Map<CatalogueEntry, number>()

function groupOf(groups: Map<string, MetricGroup>, entry: CatalogueEntry, point: MetricPoint): MetricGroup {
  const name = resourceNameOf(entry, point)
  const id = ENTRY_IDS.get(entry) ?? ENTRY_IDS.size
  ENTRY_IDS.set(entry, id)
  const key = JSON.stringify([id, name.serviceName, name.instance, processOf(entry, point), name.resource])
  const known = groups.get(key)
  if (known) return known
  const group = { ...name, entry, observations: [] }
  groups.set(key, group)
  return group
}

/** Several processes that share an instance's name are several instances still. */
function processOf(entry: CatalogueEntry, { resource }: MetricPoint): string {
  return entry.ofHost || firstOf(resource, ['service.instance.id']) !== '' ? '' : firstOf(resource, ['process.pid'])
}

/** A short key for an object by its content. Objects that are the same one are not looked into again. */
class ObjectKeys {
  readonly #byObject = new Map<object, number>()
  readonly #byContent = new Map<string, number>()

  of(object: object): number {
    const known = this.#byObject.get(object)
    if (known !== undefined) return known
    const content = JSON.stringify(object)
    const key = this.#byContent.get(content) ?? this.#byContent.size
    this.#byContent.set(content, key)
    this.#byObject.set(object, key)
    return key
  }
}
