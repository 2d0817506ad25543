import type { Result } from '../score/result.ts'

export interface Group {
  name: string
  results: Result[]
}

/** More would be a list of single cases. */
const GROUPS_OF_BOTH_MAX = 20

/** All of them, then by system, by kind of fault, and by both unless that are too many. */
export function groupsOf(results: Result[]): Group[] {
  const bySystem = groupedBy(results, ({ label }) => label.system)
  const byKind = groupedBy(results, ({ label }) => label.kind)
  const byBoth = groupedBy(results, ({ label }) => `${label.system}, ${label.kind}`)
  const all = [{ name: 'all', results }, ...(bySystem.length > 1 ? bySystem : []), ...byKind]
  return bySystem.length === 1 || byBoth.length > GROUPS_OF_BOTH_MAX ? all : [...all, ...byBoth]
}

function groupedBy(results: Result[], nameOf: (result: Result) => string): Group[] {
  const groups = new Map<string, Result[]>()
  for (const result of results) {
    const own = groups.get(nameOf(result)) ?? []
    own.push(result)
    groups.set(nameOf(result), own)
  }
  return [...groups].map(([name, own]) => ({ name, results: own })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
