import type { Explanation, Inquiry } from './inquiry.ts'
import { saturationsOf } from './inquiry.ts'
import { badResources, standingOut, textOf } from './standing-out.ts'
import { percent, saturationLine } from './wording.ts'

/** What people know an instance by comes first. */
const INSTANCE_KEYS = ['k8s.pod.name', 'service.instance.id', 'container.id', 'host.name']

/** Some know it by its pod, others by its id: both are named where it has both. */
function idOf(inquiry: Inquiry, key: string, value: string): string[] {
  const ids = badResources(inquiry).flatMap(({ resource }) => {
    const id = textOf(resource['service.instance.id'])
    return textOf(resource[key]) === value && id !== '' && id !== value ? [id] : []
  })
  const [id] = new Set(ids)
  return id === undefined ? [] : [`service.instance.id ${id}`]
}

/** Where it runs, where no other instance of the service does: that may be what is wrong with it. */
function regionOf(inquiry: Inquiry): string[] {
  const found = ['cloud.region', 'cloud.availability_zone'].flatMap((key) => standingOut(inquiry, key) ?? [])
  return found.filter(({ others }) => others > 0).map(({ key, value }) => `${key} ${value}`)
}

/** One of several instances has nearly all of the bad requests. */
export function badInstance(inquiry: Inquiry): Explanation | undefined {
  for (const key of INSTANCE_KEYS) {
    const found = standingOut(inquiry, key)
    if (found === undefined || found.others === 0) continue
    const { value, badCounts, badShare, trafficShare, others } = found
    const { serviceName } = inquiry.suspect
    const siblings = others === 1 ? 'the other instance' : `the other ${others} instances`
    return {
      cause: 'badInstance',
      detail: [value, ...idOf(inquiry, key, value), ...regionOf(inquiry)].join(', '),
      strength: badShare >= 0.9 ? 0.92 : 0.8,
      evidence: [
        `${badCounts.part} of ${badCounts.whole} bad requests looked at began on ${key} ${value}, which served ${percent(trafficShare)} of all requests of ${serviceName}; ${siblings} had the rest`,
        ...saturationsOf(inquiry, 'cpu', 'memory', 'connection_pool', 'thread_pool', 'event_loop')
          .slice(0, 1)
          .map(saturationLine),
      ],
      mayFollow: false,
    }
  }
  return undefined
}
