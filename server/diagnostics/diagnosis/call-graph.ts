import type { EdgeSeries } from './series/minute-series.ts'

/** Who waits for whom. */
export interface CallGraph {
  /** How many calls lie between a service and those who call it, directly or not; itself at 0. Nearest first. */
  callersOf(serviceName: string): Map<string, number>
  /** Whether nobody else in the Grid calls it: where users come in. */
  isEntry(serviceName: string): boolean
}

/**
 * The services without callers from which requests and messages reach a service: itself where nobody calls it, and all others
 * above it where services call in circles only.
 */
export function entriesAbove(serviceName: string, edges: EdgeSeries[]): Set<string> {
  const above = new Set([serviceName])
  const entries = new Set<string>()
  for (const name of above) {
    const callers = edges.filter(({ targetName, sourceName }) => targetName === name && sourceName !== name)
    if (callers.length === 0) entries.add(name)
    for (const { sourceName } of callers) above.add(sourceName)
  }
  return entries.size > 0 ? entries : above
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
