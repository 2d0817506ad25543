import type { CallGraph } from '../call-graph.ts'
import type { EdgeSeries } from '../series/minute-series.ts'
import type { BrokenHabit } from './habit.ts'

/** Names of fewer letters are found in any text. */
const NAME_LENGTH_MIN = 3

/** Something outside, and the service that calls it. */
interface MentionedDependency {
  serviceName: string
  targetName: string
}

/**
 * The dependency outside that a newly reported failure speaks of by name: one that the service itself calls, or else one that is
 * called by a service on whose answers it depends, whose words it passes on.
 */
export function mentionedDependency(
  { serviceName, of, way, example }: BrokenHabit,
  edges: EdgeSeries[],
  graph: CallGraph,
): MentionedDependency | undefined {
  if (of !== 'statement' || way !== 'new') return undefined
  const mentioned = edges.filter(({ targetIsService, isMessage, targetName }) => {
    return !targetIsService && !isMessage && namesOf(targetName).some((name) => mentions(example, name))
  })
  const own = mentioned.find((edge) => edge.sourceName === serviceName)
  const below = mentioned.filter((edge) => graph.callersOf(edge.sourceName).has(serviceName))
  const deepest = below.toSorted((a, b) => depthOf(b) - depthOf(a))[0]
  const found = own ?? deepest
  return found && { serviceName: found.sourceName, targetName: found.targetName }

  function depthOf(edge: EdgeSeries): number {
    return graph.callersOf(edge.sourceName).get(serviceName) ?? 0
  }
}

/** A database is known by its namespace too: `postgresql/orders`. */
function namesOf(targetName: string): string[] {
  const [, namespace = ''] = targetName.split('/')
  return [targetName, namespace].filter((name) => name.length >= NAME_LENGTH_MIN)
}

function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name)
  if (at === -1) return false
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)
  return !isPart(text[at - 1]) && !isPart(text[at + name.length])
}
