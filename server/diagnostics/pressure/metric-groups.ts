import type { MetricPoint } from '../../domain/metric-point.ts'
import { CATALOGUE } from './catalogue.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import { READINGS, type Role } from './metric-index.ts'
import { levelOf, rateOf } from './point-level.ts'
import { firstOf, meets, type ResourceName, resourceNameOf } from './resource-name.ts'

/** What one series is to a group. */
export interface GroupSeries {
  role: Role
  rank: number
  /** Which of the parts that a mean is taken over; empty where none is. */
  part: string
  /** The same for series that are one; empty where that is not known. */
  of: string
}

/** One number of a group, from one of its series. */
export interface Observation {
  timeNs: bigint
  /** Into the group's series. */
  series: number
  /** Undefined where the series has just said that it has no value any more. */
  level: number | undefined
}

/** Everything known about one resource of one instance. */
export interface MetricGroup extends ResourceName {
  entry: CatalogueEntry
  series: GroupSeries[]
  /** Ascending by time. */
  observations: Observation[]
}

/** Where the points of one series go. What can be said of all of them is found out once: there are very many points. */
interface KnownSeries {
  places: { group: MetricGroup; series: number; isRate: boolean }[]
  last: MetricPoint | undefined
}

/** The points that the catalogue knows, by what they are about. Points are to ascend by time. */
export function metricGroups(points: readonly MetricPoint[]): MetricGroup[] {
  const groups = new Map<string, MetricGroup>()
  const known = new Map<string, Map<number, KnownSeries>>([...READINGS.keys()].map((name) => [name, new Map()]))
  const contents = new ContentNumbers()
  for (const point of points) {
    const ofName = known.get(point.name)
    if (ofName === undefined) continue
    const key = contents.of(point.resource) * CONTENTS_MAX + contents.of(point.attributes)
    let series = ofName.get(key)
    if (series === undefined) {
      series = { places: placesOf(groups, point), last: undefined }
      ofName.set(key, series)
    }
    observe(series, point)
  }
  return [...groups.values()]
}

function observe(series: KnownSeries, point: MetricPoint): void {
  for (const { group, series: index, isRate } of series.places) {
    const level = isRate ? rateOf(point, series.last) : levelOf(point)
    if (level !== undefined || point.value === null)
      group.observations.push({ timeNs: point.timeNs, series: index, level })
  }
  series.last = point
}

function placesOf(groups: Map<string, MetricGroup>, point: MetricPoint): KnownSeries['places'] {
  return (READINGS.get(point.name) ?? [])
    .filter(({ measure }) => meets(measure.where, point.attributes))
    .map(({ entry, role, rank, measure }) => {
      const group = groupOf(groups, entry, point)
      const part = measure.averagedOver ? firstOf(point.attributes, measure.averagedOver) : ''
      return { group, series: seriesIn(group, { role, rank, part, of: ofSame(point) }), isRate: measure.rate === true }
    })
}

/** A series goes on where only other attributes of its resource changed, such as settings: else it would count twice for a while. */
function seriesIn({ series }: MetricGroup, added: GroupSeries): number {
  const known =
    added.of === ''
      ? -1
      : series.findIndex(({ role, rank, of }) => of === added.of && role === added.role && rank === added.rank)
  return known === -1 ? series.push(added) - 1 : known
}

/** What tells series of one process apart; empty where the origin does not say which process it is. */
function ofSame({ name, attributes, resource }: MetricPoint): string {
  const process = PROCESS.map((key) => firstOf(resource, [key]))
  return process.slice(0, 2).every((id) => id === '') ? '' : JSON.stringify([name, attributes, process])
}

const PROCESS = ['service.instance.id', 'k8s.pod.name', 'k8s.container.name', 'container.id', 'process.pid']

function groupOf(groups: Map<string, MetricGroup>, entry: CatalogueEntry, point: MetricPoint): MetricGroup {
  const name = resourceNameOf(entry, point)
  const key = JSON.stringify([
    CATALOGUE.indexOf(entry),
    name.serviceName,
    name.instance,
    processOf(entry, point),
    name.resource,
  ])
  const group = groups.get(key) ?? { ...name, entry, series: [], observations: [] }
  groups.set(key, group)
  return group
}

/** Several processes that share an instance's name are several instances still. */
function processOf(entry: CatalogueEntry, { resource }: MetricPoint): string {
  return entry.ofHost || firstOf(resource, ['service.instance.id']) !== '' ? '' : firstOf(resource, ['process.pid'])
}

/** More than the points of any question. */
const CONTENTS_MAX = 2 ** 26

/** Numbers objects by their content. One that was seen before is not looked into again. */
class ContentNumbers {
  readonly #byObject = new Map<object, number>()
  readonly #byContent = new Map<string, number>()

  of(object: object): number {
    const known = this.#byObject.get(object)
    if (known !== undefined) return known
    const content = JSON.stringify(object)
    const number = this.#byContent.get(content) ?? this.#byContent.size
    this.#byContent.set(content, number)
    this.#byObject.set(object, number)
    return number
  }
}
