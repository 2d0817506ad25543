import type { Result } from '../score/result.ts'

export interface Group {
  name: string
  results: Result[]
}

/** All of them, then by system, by kind of fault, and by both where there are several systems. */
export function groupsOf(results: Result[]): Group[] {
  const bySystem = groupedBy(results, ({ label }) => label.system)
  const byKind = groupedBy(results, ({ label }) => label.kind)
  const byBoth = bySystem.length > 1 ? groupedBy(results, ({ label }) => `${label.system}, ${label.kind}`) : []
  const all = [{ name: 'all', results }, ...(bySystem.length > 1 ? bySystem : []), ...byKind]
  return [...all, ...byBoth.filter(({ name }) => !all.some((group) => group.name === name))]
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
