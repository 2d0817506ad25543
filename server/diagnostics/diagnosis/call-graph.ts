import type { EdgeSeries } from './series/minute-series.ts'

/** Who waits for whom. */
export interface CallGraph {
  /** How many calls lie between a service and those who call it, directly or not; itself at 0. Nearest first. */
  callersOf(serviceName: string): Map<string, number>
  /** Whether nobody else in the Grid calls it: where users come in. */
  isEntry(serviceName: string): boolean
}

export function callGraph(edges: EdgeSeries[]): CallGraph {
  const callers = new Map<string, Set<string>>()
  const targets = new Set<string>()
  for (const { sourceName, targetName, isMessage } of edges) {
    targets.add(targetName)
    // Nobody waits for who takes a message.
    if (isMessage) continue
    const known = callers.get(targetName)
    if (known) known.add(sourceName)
    else callers.set(targetName, new Set([sourceName]))
  }
  return {
    callersOf(serviceName) {
      const distances = new Map([[serviceName, 0]])
      for (const [name, distance] of distances)
        for (const caller of callers.get(name) ?? []) if (!distances.has(caller)) distances.set(caller, distance + 1)
      return distances
    },
    isEntry: (serviceName) => !targets.has(serviceName),
  }
}
